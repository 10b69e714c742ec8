// Keeps the line about the e-ticket mail up to date: by server-sent events, by asking from time to time where those do
// not come through. Without this script the page reloads itself.
const line = document.getElementById('mail');
const language = document.documentElement.lang;
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 15000;

function showLocalTime() {
  for (const time of line.querySelectorAll('time')) {
    const at = new Date(time.dateTime);
    time.title = time.textContent;
    const sameDay = at.toDateString() === new Date().toDateString();
    time.textContent = at.toLocaleString(language, {
      ...(!sameDay && { day: 'numeric', month: 'short', year: 'numeric' }),
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
      timeZoneName: 'short',
    });
  }
}

function show({ status, final, text, at, atText }) {
  if (status === line.dataset.status && text === line.querySelector('.mail-text')?.textContent) return;
  line.dataset.status = status;
  line.dataset.final = String(final);
  const words = document.createElement('span');
  words.className = 'mail-text';
  words.textContent = text;
  line.replaceChildren(words);
  if (at) {
    const time = document.createElement('time');
    time.dateTime = at;
    time.textContent = atText;
    line.append(' ', time);
    showLocalTime();
  }
}

async function poll(waitMs) {
  await new Promise((resolve) => setTimeout(resolve, waitMs));
  let next = Math.min(waitMs * 1.4, LONGEST_WAIT_MS);
  try {
    const response = await fetch(line.dataset.source, { headers: { accept: 'application/json' } });
    if (response.ok) {
      const { data } = await response.json();
      show(data);
      if (data.final) return;
    } else if (response.status === 401 || response.status === 404) return;
  } catch {
    next = LONGEST_WAIT_MS;
  }
  await poll(next);
}

function listen() {
  const events = new EventSource(line.dataset.events);
  let failures = 0;
  events.addEventListener('mail', ({ data }) => {
    failures = 0;
    const view = JSON.parse(data);
    show(view);
    if (view.final) events.close();
  });
  events.addEventListener('error', () => {
    failures++;
    // Closed: the server said no. Failing again and again: something between us does not let events through.
    if (events.readyState !== EventSource.CLOSED && failures < 3) return;
    events.close();
    void poll(FIRST_WAIT_MS);
  });
}

// Kept in memory by the browser for its back button: by now it may be cancelled, or somebody else be at the screen.
window.addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload();
});

if (line) {
  showLocalTime();
  if (line.dataset.final !== 'true') {
    if (window.EventSource) listen();
    else void poll(FIRST_WAIT_MS);
  }
}
