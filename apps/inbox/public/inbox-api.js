const PAGE = 100;

async function ask(path, options) {
  const response = await fetch(path, options);
  if (!response.ok) throw new Error(`${path} answered ${response.status}`);
  return response;
}

/** The newest mails that match, `pages` times a hundred of them. */
export async function listMails(query, pages) {
  const items = [];
  let data;
  for (let page = 0; page < pages; page += 1) {
    const parameters = new URLSearchParams({ query, start: String(page * PAGE), limit: String(PAGE) });
    ({ data } = await (await ask(`/api/mails?${parameters}`)).json());
    items.push(...data.items);
  }
  return { ...data, items };
}

/** Undefined when there is no such mail any more. */
export async function readMail(id) {
  const response = await fetch(mailPath(id));
  if (response.status === 404) return undefined;
  if (!response.ok) throw new Error(`the mail answered ${response.status}`);
  return (await response.json()).data;
}

export async function readSource(id) {
  return (await ask(`${mailPath(id)}/source`)).text();
}

/** A mail that is already gone is deleted too. */
export async function deleteMail(id) {
  const response = await fetch(`/api/v1/messages/${encodeURIComponent(id)}`, { method: 'DELETE' });
  if (!response.ok && response.status !== 404) throw new Error(`deleting answered ${response.status}`);
}

export async function deleteAllMails() {
  await ask('/api/v1/messages', { method: 'DELETE' });
}

export function mailPath(id) {
  return `/api/mails/${encodeURIComponent(id)}`;
}

export function downloadPath(id) {
  return `/api/v1/messages/${encodeURIComponent(id)}/download`;
}

const POLL_MS = 4_000;

/** Calls `changed` after each change, `state` with `live` or `polling`; asks every few seconds while there is no stream. */
export function watch(changed, state) {
  const events = new EventSource('/api/mails/events');
  let live = false;
  events.addEventListener('open', () => {
    live = true;
    state('live');
    changed();
  });
  events.addEventListener('message', changed);
  events.addEventListener('error', () => {
    live = false;
    state('polling');
  });
  setInterval(() => {
    if (!live) changed();
  }, POLL_MS);
}
