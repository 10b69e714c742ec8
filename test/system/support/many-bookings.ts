import { daysAfter, type SampleBooking } from '@eticket/standalone/sample-bookings';
import type { Answer, BookingAnswer, BookingBody, Traveller } from './traveller.js';

/** A plain trip: what many bookings are made of. */
const SEARCH: SampleBooking['search'] = {
  origin: 'MAD',
  destination: 'LHR',
  departureDate: daysAfter(new Date(), 45),
  adults: '1',
  cabin: 'economy',
  currency: 'EUR',
};

/** As many as a busy minute has at once. */
const POSTS_AT_ONCE = 4;

/** Makes bodies of bookings that are right in everything, each for another person with another address. */
export async function bookingBodies(traveller: Traveller): Promise<(number: number) => BookingBody> {
  const { id: offerId } = await traveller.cheapestOffer(SEARCH);
  return (number) => {
    const name = lettersOf(number);
    return {
      offerId,
      passengers: [
        {
          type: 'adult',
          title: 'ms',
          givenName: `Ximena${name}`,
          familyName: `Zubizarreta${name}`,
          bornOn: '1987-06-05',
        },
      ],
      contact: { email: `ximena.${name}@traveller.example`, phone: `+3491123${String(number).padStart(4, '0')}` },
      payment: { token: 'tok_visa' },
    };
  };
}

/** Posts all, a few at once, and resolves with the answers in the order of the bodies. */
export async function postAll(
  traveller: Traveller,
  bodies: readonly BookingBody[],
): Promise<readonly Answer<BookingAnswer>[]> {
  const answers: Answer<BookingAnswer>[] = [];
  const entries = bodies.entries();
  const client = async (): Promise<void> => {
    for (const [index, body] of entries) answers[index] = await traveller.post(body);
  };
  await Promise.all(Array.from({ length: POSTS_AT_ONCE }, client));
  return answers;
}

/** Names have no digits: 0 is "qa", 1 "qb", 26 "qba". */
function lettersOf(number: number): string {
  const letters = [...number.toString(26)].map((digit) => String.fromCharCode(97 + Number.parseInt(digit, 26)));
  return `q${letters.join('')}`;
}
