// Makes the card form better where there is a script: the page around it has one button that pays, and shows the frame
// as high as it is. No card data leaves this frame but to its own server.
const { parents, state } = document.body.dataset;
const origins = (parents ?? '').split(' ');

function tell(type) {
  // Says nothing that anybody could not know; who frames this page is up to its content security policy.
  if (window.parent !== window)
    window.parent.postMessage(
      { type, height: Math.ceil(document.querySelector('main').getBoundingClientRect().height) + 8 },
      '*',
    );
}

const form = document.querySelector('form');
const submit = form?.querySelector('button[type=submit]');

window.addEventListener('message', ({ source, origin, data }) => {
  if (source !== window.parent || !origins.includes(origin)) return;
  if (data?.type === 'card-hello' && submit) {
    submit.hidden = true;
    tell('card-height');
  }
  if (data?.type === 'card-submit' && form) form.requestSubmit();
});

const number = document.getElementById('number');
number?.addEventListener('input', () => {
  const { value, selectionStart: caret } = number;
  // While something is put in the middle, nothing moves under the caret.
  if (caret !== value.length) return;
  const digits = value.replace(/\D/g, '').slice(0, 19);
  const groups = /^3[47]/.test(digits) ? /^(\d{1,4})(\d{1,6})?(\d{1,5})?/ : /(\d{1,4})/g;
  const parts = /^3[47]/.test(digits) ? (digits.match(groups) ?? []).slice(1).filter(Boolean) : digits.match(groups);
  number.value = (parts ?? []).join(' ');
});

// The keyboard of digits that a phone shows for this field may have no slash.
const expiry = document.getElementById('expiry');
expiry?.addEventListener('input', () => {
  const { value, selectionStart: caret } = expiry;
  if (caret === value.length && /^\d{3,6}$/.test(value)) {
    expiry.value = value.replace(/^([01]\d|[2-9])/, '$1/').replace(/^(\d\/)/, '0$1');
  }
});

for (const button of document.querySelectorAll('[data-number]')) {
  button.hidden = false;
  button.addEventListener('click', () => {
    number.value = button.dataset.number;
    expiry.value = `12/${String((new Date().getFullYear() + 3) % 100).padStart(2, '0')}`;
    document.getElementById('cvc').value = button.dataset.cvc;
    number.focus();
  });
}

document.getElementById('errors')?.focus();
document.querySelector('details')?.addEventListener('toggle', () => tell('card-height'));
window.addEventListener('resize', () => tell('card-height'));
if (parents) tell(`card-${state}`);
