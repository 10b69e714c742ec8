import { PASSENGER_TYPES } from '@eticket/contracts';
import type { Offer, PassengerCounts } from '../offers/offer.js';
import type { FieldError } from '@eticket/service/problems';
import { dateAt } from '../times/local-time.js';
import { AGE_RULES, ageOn, passengerTypeAt } from './age.js';
import type { PassengerDto } from './passenger.dto.js';

const OLDEST_YEARS = 125;

/** What does not fit between passengers and the offer they want: counts, ages on each flight's day, laps of infants. */
export function passengerErrors(passengers: readonly PassengerDto[], offer: Offer, now: Date): readonly FieldError[] {
  return [
    ...countErrors(passengers, offer.selection.counts),
    ...passengers.flatMap((passenger, index) => [
      ...birthErrors(passenger, index, offer, now),
      ...lapErrors(passenger, index, passengers),
    ]),
  ];
}

function countErrors(passengers: readonly PassengerDto[], counts: PassengerCounts): readonly FieldError[] {
  const offered = { adult: counts.adults, child: counts.children, infant: counts.infants };
  const given = (type: string): number => passengers.filter((passenger) => passenger.type === type).length;
  if (PASSENGER_TYPES.every((type) => given(type) === offered[type])) return [];
  const words = `${counts.adults} adults, ${counts.children} children and ${counts.infants} infants`;
  return [{ pointer: '/passengers', code: 'passenger_count_mismatch', message: `the offer is for ${words}` }];
}

function birthErrors(passenger: PassengerDto, index: number, offer: Offer, now: Date): readonly FieldError[] {
  const { bornOn, type } = passenger;
  const error = (code: string, message: string): readonly FieldError[] => [
    { pointer: `/passengers/${index}/bornOn`, code, message },
  ];
  // Somewhere it is tomorrow already (UTC+14): a child born there today is no mistake.
  const today = new Date(now.getTime() + 14 * 3_600_000).toISOString().slice(0, 10);
  if (bornOn > today) return error('in_the_future', 'is in the future');
  if (ageOn(bornOn, today) > OLDEST_YEARS) return error('too_long_ago', `is more than ${OLDEST_YEARS} years ago`);
  const wrong = offer.segments.find(({ flight }) => {
    const departure = dateAt(flight.departsMs, flight.origin.timeZone);
    return passengerTypeAt(ageOn(bornOn, departure)) !== type || bornOn > departure;
  });
  if (!wrong) return [];
  const { airline, flightNumber, key } = wrong.flight;
  return error('wrong_age', `${AGE_RULES[type]}, also on ${airline.iataCode}${flightNumber} of ${key.date}`);
}

function lapErrors(
  { type, infantOf }: PassengerDto,
  index: number,
  passengers: readonly PassengerDto[],
): readonly FieldError[] {
  const error = (code: string, message: string): readonly FieldError[] => [
    { pointer: `/passengers/${index}/infantOf`, code, message },
  ];
  if (type !== 'infant') return infantOf === undefined ? [] : error('not_an_infant', 'is for infants only');
  if (infantOf === undefined) return error('required', 'is required: the index of the adult the infant travels with');
  if (passengers[infantOf]?.type !== 'adult') return error('no_such_adult', 'has to be the index of an adult');
  const first = passengers.findIndex((other) => other.type === 'infant' && other.infantOf === infantOf);
  return first === index ? [] : error('adult_taken', 'this adult has an infant already: one lap each');
}
