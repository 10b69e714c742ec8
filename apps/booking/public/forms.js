// Makes forms better where there is a script: filters apply at once, a form is sent once, errors get the focus.
const errors = document.getElementById('errors');
if (errors) errors.focus();

for (const form of document.querySelectorAll('form[data-submit-on-change]')) {
  form.addEventListener('change', () => form.requestSubmit());
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
