import type { FieldError } from '@eticket/service/problems';
import { AIRPORTS } from '../airports/airports.js';
import { CURRENCIES } from '../money/currency.js';
import { invalidFields } from '../problems/problem.js';
import { addDays, todayIn } from '../times/local-time.js';
import type { PassengerCounts } from './offer.js';
import type { SearchOffersQuery } from './search-offers.query.js';
import type { OfferSearch } from './search-offers.js';

/** Airlines open their timetables about eleven months ahead. */
const DAYS_AHEAD = 330;
const SEATS = 9;

/** Whether what a query names exists and fits together. @throws ProblemError 422 that names every bad parameter. */
export function readSearch(query: SearchOffersQuery, now: Date): OfferSearch {
  const errors: FieldError[] = [];
  const fail = (parameter: keyof SearchOffersQuery, code: string, message: string): void =>
    void errors.push({ pointer: `/${parameter}`, code, message });

  const origin = AIRPORTS.get(query.origin.toUpperCase());
  const destination = AIRPORTS.get(query.destination.toUpperCase());
  if (!origin) fail('origin', 'unknown_airport', 'is no airport that we sell flights from');
  if (!destination) fail('destination', 'unknown_airport', 'is no airport that we sell flights to');
  if (origin && origin === destination)
    fail('destination', 'same_airport', 'has to be another airport than the origin');

  const today = todayIn(origin?.timeZone ?? 'UTC', now);
  const lastDay = addDays(today, DAYS_AHEAD);
  const { departureDate, returnDate } = query;
  if (departureDate < today) fail('departureDate', 'in_the_past', 'is in the past');
  if (departureDate > lastDay) fail('departureDate', 'too_far_ahead', `has to be within ${DAYS_AHEAD} days`);
  if (returnDate !== undefined) {
    if (returnDate < departureDate) fail('returnDate', 'before_departure', 'has to be on or after the departure date');
    if (returnDate > lastDay) fail('returnDate', 'too_far_ahead', `has to be within ${DAYS_AHEAD} days`);
  }

  const counts = countsOf(query);
  if (counts.adults < 1) fail('adults', 'out_of_range', 'has to be 1 or more: nobody under 12 travels alone');
  if (counts.adults + counts.children > SEATS) {
    const parameter = counts.adults > SEATS ? 'adults' : 'children';
    fail(parameter, 'too_many_seats', 'adults and children have to be 9 or fewer');
  }
  if (counts.infants > counts.adults) fail('infants', 'too_many_infants', 'have to be as many as adults or fewer');

  const currency = CURRENCIES.get(query.currency ?? 'EUR');
  if (!currency) fail('currency', 'unknown_currency', 'is no ISO 4217 currency that we sell fares in');

  if (errors.length > 0 || !origin || !destination || !currency) throw invalidFields(errors);
  const cabin = query.cabin ?? 'economy';
  return { origin, destination, departureDate, returnDate, counts, cabin, currency };
}

function countsOf(query: SearchOffersQuery): PassengerCounts {
  return {
    adults: Number(query.adults ?? '1'),
    children: Number(query.children ?? '0'),
    infants: Number(query.infants ?? '0'),
  };
}
