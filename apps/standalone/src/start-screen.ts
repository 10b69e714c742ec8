import { styleText } from 'node:util';

export interface StartScreenFacts {
  readonly seconds: number;
  readonly bookingUrl: string;
  /** Undefined: mail goes to a relay. */
  readonly inbox: { readonly url: string; readonly smtpPort: number } | undefined;
  readonly relay: string | undefined;
  /** Undefined: payments go to the gateway that PAYMENT_GATEWAY_URL names. */
  readonly paymentUrl: string | undefined;
  /** One sentence about the workers, and where their health is. */
  readonly workers: string;
  readonly database: string;
  readonly dataDir: string;
  /** Of the flight that the example books, `YYYY-MM-DD`. */
  readonly departureDate: string;
  readonly color: boolean;
}

/** All that a newcomer needs to see, on one screen. */
export function startScreen(facts: StartScreenFacts): string {
  const bold = (text: string) => (facts.color ? styleText('bold', text) : text);
  const faint = (text: string) => (facts.color ? styleText('dim', text) : text);
  const row = (label: string, value: string, note = '') => `  ${label.padEnd(14)}${value}${note && `  ${faint(note)}`}`;
  return [
    '',
    `  ${bold('The e-ticket pipeline is up')} ${faint(`(${facts.seconds.toFixed(1)} s)`)}`,
    '',
    row('Booking', bold(facts.bookingUrl), `API description: ${facts.bookingUrl}/docs`),
    facts.inbox
      ? row('Inbox', bold(facts.inbox.url), `takes mail on port ${facts.inbox.smtpPort}`)
      : row('Mail', `through ${facts.relay ?? ''}`, '(SMTP_URL)'),
    row('Mail worker', facts.workers),
    ...(facts.paymentUrl === undefined ? [] : [row('Payment', facts.paymentUrl, 'sandbox: test cards, no money')]),
    row('Database', facts.database),
    row('Data and logs', facts.dataDir),
    '',
    '  Book a flight: paste this into another terminal. It prints the address of the confirmation page.',
    '',
    bookingCommand(facts.bookingUrl, facts.departureDate),
    '',
    `  Or let ${bold('npm run demo')} book ten trips. ${bold('Ctrl+C')} stops everything; the data is kept.`,
    '',
  ].join('\n');
}

/**
 * A search and a booking for any POSIX shell with curl; Node, which is there, reads the JSON. Each paste is a booking
 * of its own, as it makes a new Idempotency-Key.
 */
export function bookingCommand(bookingUrl: string, departureDate: string): string {
  const search = `origin=MAD&destination=LHR&departureDate=${departureDate}&adults=1&cabin=economy&currency=EUR`;
  const booking = JSON.stringify({
    offerId: 'OFFER',
    passengers: [{ type: 'adult', title: 'ms', givenName: 'Lucía', familyName: 'Ortiz', bornOn: '1988-04-17' }],
    contact: { email: 'lucia@example.com', phone: '+34911234567' },
    payment: { token: 'tok_visa' },
  }).replace('"OFFER"', `"'"$OFFER"'"`);
  return [
    `OFFER=$(curl -s '${bookingUrl}/api/offers?${search}' |`,
    `  node -p 'JSON.parse(fs.readFileSync(0)).data[0].id')`,
    `curl -s '${bookingUrl}/api/bookings' -H 'Content-Type: application/json' \\`,
    `  -H "Idempotency-Key: $(node -p 'crypto.randomUUID()')" \\`,
    `  -d '${booking}' |`,
    `  node -p 'answer = JSON.parse(fs.readFileSync(0)), answer.data?.confirmationUrl ?? answer'`,
  ].join('\n');
}
