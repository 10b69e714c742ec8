import { element } from './elements.js';
import { count } from './format.js';
import { deleteAllMails, deleteMail, listMails, readMail, watch } from './inbox-api.js';
import { MailList } from './mail-list.js';
import { mailView } from './mail-view.js';

const at = (id) => document.getElementById(id);
const [query, reader, panes, more, deleteAll] = ['query', 'reader', 'panes', 'more', 'delete-all'].map(at);
const list = new MailList(at('mails'));
const wide = matchMedia('(min-width: 56rem)');

let pages = 1;
let shown = { total: 0, kept: 0, items: [], facts: undefined };
let openId;
/** The order of answers is not the order of questions. */
let latestAsk = 0;

async function refresh() {
  latestAsk += 1;
  const ask = latestAsk;
  const result = await listMails(query.value.trim(), pages).catch(() => undefined);
  if (result === undefined || ask !== latestAsk) return;
  const before = shown;
  shown = result;
  list.show(shown.items);
  if (openId) list.select(openId);
  more.hidden = shown.items.length >= shown.total;
  deleteAll.hidden = shown.kept === 0;
  at('count').textContent = countText();
  document.title = shown.kept === 0 ? 'Inbox' : `Inbox (${shown.kept})`;
  announceArrival(before);
  if (openId === undefined) showNothing();
}

function countText() {
  if (shown.kept === 0) return 'No mails';
  if (query.value.trim() === '') return count(shown.kept, 'mail', 'mails');
  return shown.total === 0
    ? `No mail of ${shown.kept} matches`
    : `${shown.total} of ${count(shown.kept, 'mail', 'mails')}`;
}

function announceArrival(before) {
  const latest = shown.items[0];
  if (before.facts === undefined || !latest || before.items.some(({ id }) => id === latest.id)) return;
  if (shown.kept > before.kept) at('announcement').textContent = `New mail: ${latest.subject || 'no subject'}`;
}

function showNothing() {
  panes.dataset.showing = 'list';
  reader.setAttribute('aria-label', 'No mail open');
  reader.replaceChildren(shown.kept === 0 ? emptyInbox() : hints());
}

function emptyInbox() {
  const { smtpAddress = '127.0.0.1:1025', durable = false } = shown.facts ?? {};
  return element(
    'div',
    { class: 'nothing' },
    element('img', { src: '/icon.svg', alt: '', width: 56, height: 56 }),
    element('h2', {}, 'No mails yet'),
    element(
      'p',
      {},
      'Send one to ',
      element('code', {}, smtpAddress),
      ' by SMTP, with any address and any password. It shows up here at once and goes nowhere else.',
    ),
    element(
      'p',
      {},
      durable
        ? 'Mails are kept when the inbox is started again.'
        : 'Mails are kept in memory, until the inbox is stopped.',
    ),
  );
}

function hints() {
  const keys = [
    ['/', 'search'],
    ['↑ ↓', 'move in the list'],
    ['Enter', 'read'],
    ['Del', 'delete'],
    ['Esc', 'back to the list'],
  ];
  return element(
    'div',
    { class: 'nothing' },
    element('p', {}, 'Choose a mail to read it.'),
    element(
      'dl',
      { class: 'keys' },
      ...keys.map(([key, does]) =>
        element('div', {}, element('dt', {}, element('kbd', {}, key)), element('dd', {}, does)),
      ),
    ),
  );
}

async function openMail(id) {
  openId = id;
  list.select(id);
  const mail = await readMail(id).catch(() => undefined);
  if (openId !== id) return;
  panes.dataset.showing = 'mail';
  reader.removeAttribute('aria-label');
  if (mail === undefined) {
    const gone = element('h2', { tabindex: -1 }, 'This mail is gone');
    reader.replaceChildren(
      element(
        'div',
        { class: 'nothing' },
        gone,
        element('p', {}, 'It was deleted, or dropped for newer ones.'),
        element('p', {}, element('a', { href: '#/' }, 'All mails')),
      ),
    );
    return gone.focus();
  }
  reader.replaceChildren(mailView(mail, { onback: backToList, ondelete: () => void remove(id) }));
  reader.scrollTop = 0;
  if (!document.activeElement?.closest('search')) at('subject').focus({ preventScroll: true });
}

function backToList() {
  const id = openId;
  location.hash = '#/';
  list.focus(id);
}

async function remove(id) {
  const next = list.neighbour(id);
  const wasOpen = id === openId;
  try {
    await deleteMail(id);
  } catch {
    at('announcement').textContent = 'The mail could not be deleted.';
    return;
  }
  at('announcement').textContent = 'Mail deleted';
  if (wasOpen) location.hash = next && wide.matches ? `#/mails/${encodeURIComponent(next)}` : '#/';
  await refresh();
  if (!wasOpen || !wide.matches) list.focus(next);
}

function route() {
  const id = /^#\/mails\/(.+)$/.exec(location.hash)?.[1];
  if (id !== undefined) return void openMail(decodeURIComponent(id));
  openId = undefined;
  list.select(undefined);
  showNothing();
}

let typed;
let arrived;

query.addEventListener('input', () => {
  pages = 1;
  // On a narrow screen the list is behind the open mail.
  if (openId && !wide.matches) location.hash = '#/';
  clearTimeout(typed);
  typed = setTimeout(refresh, 150);
});
more.addEventListener('click', () => {
  pages += 1;
  void refresh();
});
addEventListener('hashchange', route);

deleteAll.addEventListener('click', () => {
  at('confirm-text').textContent = `${count(shown.kept, 'mail is', 'mails are')} deleted for good.`;
  at('confirm').showModal();
});
at('confirm-no').addEventListener('click', () => at('confirm').close());
at('confirm-yes').addEventListener('click', async () => {
  at('confirm').close();
  await deleteAllMails().catch(() => (at('announcement').textContent = 'The mails could not be deleted.'));
  location.hash = '#/';
  await refresh();
  query.focus();
});

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || at('confirm').open) return;
  const typing = event.target.closest('input');
  const row = event.target.closest('li[data-id]');
  if (event.key === '/' && !typing) {
    event.preventDefault();
    query.focus();
    query.select();
  } else if (event.key === 'Escape' && openId && !typing) backToList();
  else if (event.key === 'ArrowDown' && typing) {
    event.preventDefault();
    list.focus(openId);
  } else if (event.key === 'Delete' && !typing) {
    const id = row?.dataset.id ?? openId;
    if (id) void remove(id);
  }
});

watch(
  () => {
    // Once a moment however fast mails come in; a change during a refresh asks for another.
    arrived ??= setTimeout(() => {
      arrived = undefined;
      void refresh();
    }, 60);
  },
  (state) => {
    at('live').dataset.state = state;
    at('live-text').textContent = state === 'live' ? 'Live' : 'Reconnecting';
  },
);
await refresh();
route();
