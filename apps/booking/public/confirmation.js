// Keeps the line about the e-ticket mail up to date. Without this script the page reloads itself.
const line = document.getElementById('mail');
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 15000;

function showLocalTime() {
  for (const time of line.querySelectorAll('time')) {
    const at = new Date(time.dateTime);
    time.title = time.textContent;
    const sameDay = at.toDateString() === new Date().toDateString();
    time.textContent = at.toLocaleString(
      'en-GB',
      sameDay ? { timeStyle: 'short' } : { dateStyle: 'medium', timeStyle: 'short' },
    );
  }
}

function show({ status, final, text, at, atText }) {
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

async function watch(waitMs) {
  await new Promise((resolve) => setTimeout(resolve, waitMs));
  let next = Math.min(waitMs * 1.4, LONGEST_WAIT_MS);
  try {
    const response = await fetch(line.dataset.source, { headers: { accept: 'application/json' } });
    if (response.ok) {
      const { data } = await response.json();
      if (data.text !== line.querySelector('.mail-text')?.textContent || data.status !== line.dataset.status)
        show(data);
      if (data.final) return;
    } else if (response.status === 401 || response.status === 404) return;
  } catch {
    next = LONGEST_WAIT_MS;
  }
  await watch(next);
}

if (line) {
  showLocalTime();
  if (line.dataset.final !== 'true') void watch(FIRST_WAIT_MS);
}
