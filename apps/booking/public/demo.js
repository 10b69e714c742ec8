// The start page's button: a search and a booking through the public API, then the confirmation page.
const button = document.getElementById('demo');
const state = document.getElementById('demo-state');

async function call(path, options) {
  const response = await fetch(path, options);
  const body = await response.json();
  if (!response.ok) throw new Error(body.detail || body.title);
  return body.data;
}

async function book() {
  button.disabled = true;
  try {
    state.textContent = button.dataset.searching;
    const date = new Date(Date.now() + 45 * 86400000).toISOString().slice(0, 10);
    const offers = await call(`/api/offers?origin=MAD&destination=LHR&departureDate=${date}`);
    const offer = offers.find(({ fareBrand }) => fareBrand === 'classic') ?? offers[0];
    state.textContent = button.dataset.booking;
    const booking = await call('/api/bookings', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': `demo-${Date.now()}-${Math.random()}` },
      body: JSON.stringify({
        offerId: offer.id,
        passengers: [
          { type: 'adult', title: 'ms', givenName: 'Lucía', familyName: 'Fernández Ortiz', bornOn: '1988-04-17' },
        ],
        contact: { email: 'lucia.fernandez@example.com', phone: '+34911234567' },
        payment: { token: 'tok_visa' },
        locale: document.documentElement.lang,
      }),
    });
    location.href = `/bookings/${booking.id}`;
  } catch (error) {
    state.textContent = `${button.dataset.failed} ${error.message}`;
    button.disabled = false;
  }
}

if (button) {
  button.hidden = false;
  button.addEventListener('click', () => void book());
}
