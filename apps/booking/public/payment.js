// The payment page around the provider's card form: one button checks the card in its frame, then pays. Without this
// script the frame has a button of its own.
const form = document.querySelector('form[data-card-form]');

if (form) {
  const frame = form.querySelector('iframe');
  const button = form.querySelector('button[type=submit]');
  const { cardForm: origin, checking, busy } = form.dataset;
  const words = button.textContent;
  /** Of the frame: undefined before it was heard of, else whether it has a card. */
  let hasCard;
  let state = 'idle';

  const show = (next) => {
    state = next;
    button.disabled = next !== 'idle';
    button.textContent = { idle: words, checking, paying: busy }[next];
  };
  const tell = (type) => frame.contentWindow.postMessage({ type }, origin);
  const pay = () => {
    show('paying');
    form.submit();
  };

  window.addEventListener('message', ({ source, origin: from, data }) => {
    if (source !== frame.contentWindow || from !== origin || typeof data?.type !== 'string') return;
    if (Number.isFinite(data.height)) frame.style.height = `${Math.min(Math.max(data.height, 80), 1200)}px`;
    if (data.type === 'card-height') return;
    hasCard = data.type === 'card-saved';
    if (hasCard && state === 'checking') pay();
    else if (state === 'checking') show('idle');
    if (!hasCard) tell('card-hello');
  });

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (state !== 'idle') return;
    // A frame that was never heard of has no script: the server says whether there is a card.
    if (hasCard !== false) pay();
    else {
      show('checking');
      tell('card-submit');
    }
  });
  // Back to this page from the next one: the form is there as it was left.
  window.addEventListener('pageshow', () => show('idle'));
}
