import { element, icon, ICONS, isolated } from './elements.js';
import { fullTime, people, personAndAddress, size } from './format.js';
import { downloadPath, mailPath, readSource } from './inbox-api.js';

/** Links of a mail may open a tab, which is free of the sandbox; nothing else is allowed, scripts least of all. */
const SANDBOX = 'allow-popups allow-popups-to-escape-sandbox';
const SHOWN_SOURCE_BYTES = 512 * 1024;

let latestTab = 'html';

/** One mail with its tabs. */
export function mailView(mail, { onback, ondelete }) {
  return element(
    'article',
    { class: 'open-mail', 'aria-labelledby': 'subject' },
    element(
      'div',
      { class: 'tools' },
      element('button', { type: 'button', class: 'quiet back', onclick: onback }, icon(ICONS.back), 'All mails'),
      element(
        'a',
        { class: 'button quiet', href: downloadPath(mail.id), download: true },
        icon(ICONS.download),
        'Download',
      ),
      element('button', { type: 'button', class: 'quiet', onclick: ondelete }, icon(ICONS.trash), 'Delete'),
    ),
    element('h2', { id: 'subject', tabindex: -1 }, isolated(mail.subject || 'No subject')),
    facts(mail),
    attachments(mail),
    tabs(mail),
  );
}

function facts(mail) {
  const rows = [
    ['From', people(mail.from, personAndAddress)],
    ['To', people(mail.to, personAndAddress)],
    ['Cc', mail.cc.length > 0 && people(mail.cc, personAndAddress)],
    ['Reply to', mail.replyTo.length > 0 && people(mail.replyTo, personAndAddress)],
    ['Delivered to', envelopeDiffers(mail) && mail.envelope.to.join(', ')],
    ['Received', `${fullTime(mail.receivedAt)}, ${size(mail.size)}`],
  ];
  return element(
    'dl',
    { class: 'facts' },
    ...rows
      .filter(([, value]) => value)
      .map(([name, value]) => element('div', {}, element('dt', {}, name), element('dd', {}, isolated(value)))),
  );
}

/** Blind copies, and headers that do not say where the mail went. */
function envelopeDiffers({ to, cc, envelope }) {
  const named = [...to, ...cc].map(({ address }) => address.toLowerCase());
  return envelope.to.some((address) => !named.includes(address.toLowerCase())) || envelope.to.length !== named.length;
}

function attachments({ id, attachments: files }) {
  if (files.length === 0) return undefined;
  const numbered = files.map((file, index) => ({ file, index }));
  const ordered = [...numbered.filter(({ file }) => !file.inline), ...numbered.filter(({ file }) => file.inline)];
  const items = ordered.map(({ file, index }) =>
    element(
      'li',
      {},
      element(
        'a',
        {
          class: 'file',
          href: `${mailPath(id)}/attachments/${index}`,
          download: true,
          title: `${file.contentType}, ${size(file.size)}`,
        },
        icon(file.inline ? ICONS.download : ICONS.clip),
        element('span', { class: 'name' }, isolated(file.filename)),
        element('span', { class: 'facts' }, file.inline ? `${size(file.size)}, shown in the mail` : size(file.size)),
      ),
    ),
  );
  return element('ul', { class: 'files', 'aria-label': 'Attachments' }, ...items);
}

function tabs(mail) {
  const kinds = [
    mail.hasHtml && { kind: 'html', label: 'HTML', fill: html },
    mail.text !== undefined && { kind: 'text', label: 'Text', fill: text },
    { kind: 'source', label: 'Source', fill: source },
    mail.decoded && { kind: 'headers', label: 'Headers', fill: headers },
  ].filter(Boolean);
  const panel = element('div', { class: 'panel', role: 'tabpanel', id: 'panel', tabindex: 0 });
  const buttons = kinds.map(({ kind, label }) =>
    element(
      'button',
      { type: 'button', role: 'tab', id: `tab-${kind}`, 'aria-controls': 'panel', onclick: () => choose(kind) },
      label,
    ),
  );
  const choose = (wanted) => {
    const chosen = kinds.find(({ kind }) => kind === wanted) ?? kinds[0];
    for (const button of buttons) {
      const isChosen = button.id === `tab-${chosen.kind}`;
      button.setAttribute('aria-selected', String(isChosen));
      button.tabIndex = isChosen ? 0 : -1;
    }
    panel.setAttribute('aria-labelledby', `tab-${chosen.kind}`);
    panel.className = `panel ${chosen.kind}`;
    panel.replaceChildren();
    chosen.fill(panel, mail);
  };
  const list = element('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Ways to see the mail' }, ...buttons);
  list.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = buttons[(buttons.indexOf(document.activeElement) + step + buttons.length) % buttons.length];
    next.focus();
    next.click();
  });
  list.addEventListener('click', (event) => {
    const tab = event.target.closest('[role=tab]');
    if (tab) latestTab = tab.id.slice('tab-'.length);
  });
  choose(latestTab);
  return element('div', { class: 'body' }, list, panel);
}

function html(panel, { id }) {
  const frame = element('iframe', {
    title: 'The mail’s HTML',
    sandbox: SANDBOX,
    referrerpolicy: 'no-referrer',
    src: `${mailPath(id)}/html`,
  });
  const note = 'Shown without scripts and without anything from the network. Links open in a new tab.';
  panel.append(frame, element('p', { class: 'note' }, note));
}

function text(panel, mail) {
  panel.append(element('pre', { dir: 'auto' }, mail.text));
}

function source(panel, { id, size: bytes }) {
  const pre = element('pre', { 'aria-busy': 'true' }, 'Loading');
  panel.append(pre);
  readSource(id).then(
    (raw) => {
      pre.textContent = raw;
      pre.removeAttribute('aria-busy');
      if (bytes > SHOWN_SOURCE_BYTES)
        panel.append(element('p', { class: 'note' }, 'Only the first part is shown. The download has all of it.'));
    },
    () => (pre.textContent = 'The source could not be loaded. Is the inbox still running?'),
  );
}

function headers(panel, mail) {
  const rows = mail.headers.map(([name, value]) =>
    element('tr', {}, element('th', { scope: 'row' }, name), element('td', {}, isolated(value))),
  );
  panel.append(element('table', {}, element('tbody', {}, ...rows)));
}
