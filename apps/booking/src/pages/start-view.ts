import { addDays } from '../times/local-time.js';

export interface StartView {
  readonly inboxUrl: string | undefined;
  readonly searchCommand: string;
  readonly bookCommand: string;
}

/** Two commands that work as they stand: in a shell, with curl and Node. */
export function startView(publicUrl: string, inboxUrl: string | undefined, now: Date): StartView {
  const date = addDays(now.toISOString().slice(0, 10), 45);
  const body = {
    offerId: "'$OFFER'",
    passengers: [
      { type: 'adult', title: 'ms', givenName: 'Lucía', familyName: 'Fernández Ortiz', bornOn: '1988-04-17' },
    ],
    contact: { email: 'lucia.fernandez@example.com', phone: '+34911234567' },
    payment: { token: 'tok_visa' },
    locale: 'es-ES',
  };
  return {
    inboxUrl,
    searchCommand: [
      `OFFER=$(curl -s '${publicUrl}/api/offers?origin=MAD&destination=LHR&departureDate=${date}' |`,
      `  node -pe 'JSON.parse(require("fs").readFileSync(0)).data[0].id')`,
    ].join('\n'),
    bookCommand: [
      `curl -s ${publicUrl}/api/bookings -H 'Content-Type: application/json' -H "Idempotency-Key: demo-$RANDOM$RANDOM" \\`,
      `  -d '${JSON.stringify(body)}'`,
    ].join('\n'),
  };
}
