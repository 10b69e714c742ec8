import { element, icon, ICONS, isolated } from './elements.js';
import { fullTime, people, person, shortTime, size } from './format.js';

const READ = 'inbox.read';

/** The rows. Rows that stay are not touched, so that focus and a screen reader stay where they are. */
export class MailList {
  #list;
  #rows = new Map();
  #read = new Set(JSON.parse(sessionStorage.getItem(READ) ?? '[]'));

  constructor(list) {
    this.#list = list;
    list.addEventListener('keydown', (event) => this.#move(event));
  }

  show(items) {
    const wanted = new Set(items.map(({ id }) => id));
    for (const [id, row] of this.#rows) {
      if (wanted.has(id)) continue;
      row.remove();
      this.#rows.delete(id);
    }
    let next = this.#list.firstChild;
    for (const item of items) {
      const row = this.#rows.get(item.id) ?? this.#row(item);
      this.#rows.set(item.id, row);
      if (row === next) next = row.nextSibling;
      else this.#list.insertBefore(row, next);
    }
  }

  select(id) {
    for (const link of this.#list.querySelectorAll('[aria-current]')) link.removeAttribute('aria-current');
    const link = this.#link(id);
    if (!link) return;
    link.setAttribute('aria-current', 'true');
    link.classList.remove('unread');
    link.scrollIntoView({ block: 'nearest' });
    this.#read.add(id);
    sessionStorage.setItem(READ, JSON.stringify([...this.#read].slice(-1_000)));
  }

  focus(id) {
    (this.#link(id) ?? this.#list.querySelector('a'))?.focus();
  }

  /** The mail that takes the place of `id` when it goes. */
  neighbour(id) {
    const row = this.#rows.get(id);
    return (row?.nextElementSibling ?? row?.previousElementSibling)?.dataset.id;
  }

  #link(id) {
    return this.#rows.get(id)?.querySelector('a');
  }

  #row(item) {
    const clip =
      item.attachmentCount > 0 &&
      element(
        'span',
        { class: 'clip', title: 'Has attachments' },
        icon(ICONS.clip),
        element('span', { class: 'unseen' }, 'Has attachments'),
      );
    const link = element(
      'a',
      { href: `#/mails/${encodeURIComponent(item.id)}`, class: this.#read.has(item.id) ? 'mail' : 'mail unread' },
      element('span', { class: 'who' }, isolated(people(item.from, person))),
      element('time', { datetime: item.receivedAt, title: fullTime(item.receivedAt) }, shortTime(item.receivedAt)),
      element('span', { class: 'subject' }, isolated(item.subject || 'No subject')),
      element('span', { class: 'to' }, 'to ', isolated(people(item.to, person))),
      element('span', { class: 'facts' }, clip || undefined, size(item.size)),
    );
    return element('li', { 'data-id': item.id }, link);
  }

  #move(event) {
    const step = { ArrowDown: 'nextElementSibling', ArrowUp: 'previousElementSibling' }[event.key];
    const target = step && event.target.closest('li')?.[step]?.querySelector('a');
    if (!target) return;
    event.preventDefault();
    target.focus();
  }
}
