// Makes forms better where there is a script: filters apply at once, a form is sent once, errors get the focus.
const errors = document.getElementById('errors');
if (errors) errors.focus();

// What a filter leaves takes the place of what stood there: the page stays, and so does the focus (WCAG 2.2, 3.2.2).
for (const form of document.querySelectorAll('form[data-submit-on-change]')) {
  let latest;
  form.addEventListener('change', async () => {
    const asked = new URL(`${form.action}?${new URLSearchParams(new FormData(form))}`);
    latest?.abort();
    const { signal } = (latest = new AbortController());
    try {
      const response = await fetch(asked, { signal, headers: { accept: 'text/html' } });
      const found = new DOMParser().parseFromString(await response.text(), 'text/html');
      // The navigation too: it leads to this address in another language.
      for (const part of ['#found', '#journeys', '.nav']) {
        document.querySelector(part).replaceChildren(...found.querySelector(part).childNodes);
      }
      history.replaceState(null, '', asked);
    } catch {
      if (!signal.aborted) form.submit();
    }
  });
  const button = form.querySelector('button');
  if (button) button.hidden = true;
}

for (const form of document.querySelectorAll('form[data-once]')) {
  const button = form.querySelector('button[type=submit]');
  const words = button.textContent;
  form.addEventListener('submit', (event) => {
    if (button.disabled) return void event.preventDefault();
    button.disabled = true;
    button.textContent = form.dataset.once;
  });
  // Back to this page from the next one: the form is there as it was left.
  window.addEventListener('pageshow', () => {
    button.disabled = false;
    button.textContent = words;
  });
}

const print = document.getElementById('print');
if (print) {
  print.hidden = false;
  print.addEventListener('click', () => window.print());
}
