import type { Cabin, PassengerType } from '@eticket/contracts';
import { greatCircleKm } from '../airports/airports.js';
import { add, fromEuroCents, percentOf, roundToFareStep, sum, zero, type Amount } from '../money/money.js';
import type { Currency } from '../money/currency.js';
import { firstFlight, lastFlight, type Flight, type Itinerary } from '../timetable/flight.js';
import { seededInteger } from '../timetable/seeded-choice.js';
import {
  bookingClassOf,
  BRAND_PERCENT,
  CABIN_PERCENT,
  fareBasisOf,
  PASSENGER_PERCENT,
  penaltiesOf,
  type FareBrand,
} from './fare-brands.js';
import type { Offer, OfferConditions, OfferedSegment, OfferPrice, OfferSelection, PassengerFare } from './offer.js';
import { offerExpiry } from './offer-lifetime.js';
import { taxesOf, type JourneyEnds, type Tax } from './taxes.js';

/** From here on premium economy and first exist, and long-haul conditions hold. */
const LONG_KM = 3500;
/** The agency's service fee, once a booking. */
const SERVICE_FEE_CENTS = 900n;

/** The cabin that a flight has for travellers who asked for `wanted`: short ones have economy and business alone. */
export function cabinOn(flight: Flight, wanted: Cabin): Cabin {
  if (flight.distanceKm >= LONG_KM) return wanted;
  if (wanted === 'premium_economy') return 'economy';
  return wanted === 'first' ? 'business' : wanted;
}

/** Whether at least one flight of the itinerary has the cabin asked for. */
export function hasCabin(itinerary: Itinerary, cabin: Cabin): boolean {
  return itinerary.flights.some((flight) => cabinOn(flight, cabin) === cabin);
}

/** Prices a journey. The same selection and flights have the same price on any day. */
export function priceOffer(selection: OfferSelection, slices: readonly [Itinerary, ...Itinerary[]]): Offer {
  const { brand, cabin, currency } = selection;
  const journey = slices.map(endsOf);
  const long = journey.some(({ distanceKm }) => distanceKm >= LONG_KM);
  const cents = slices.reduce((all, slice) => all + sliceCents(slice, cabin, brand), 0);
  const adultBase = roundToFareStep(fromEuroCents(BigInt(cents), currency));
  const passengers = passengersOf(selection, (type) => passengerFare(type, adultBase, journey, currency));
  return {
    selection,
    expiresAt: offerExpiry(selection.madeAt),
    validatingCarrier: firstFlight(slices[0]).airline,
    slices,
    segments: segmentsOf(slices, selection, long),
    passengers,
    price: priceOf(passengers, currency),
    conditions: conditionsOf(brand, long, currency),
  };
}

/** All of a type pay the same. */
function passengersOf(
  { counts }: OfferSelection,
  fareOf: (type: PassengerType) => PassengerFare,
): readonly PassengerFare[] {
  const fares = (count: number, type: PassengerType): readonly PassengerFare[] =>
    count === 0 ? [] : Array<PassengerFare>(count).fill(fareOf(type));
  return [...fares(counts.adults, 'adult'), ...fares(counts.children, 'child'), ...fares(counts.infants, 'infant')];
}

function endsOf(slice: Itinerary): JourneyEnds {
  const { origin } = firstFlight(slice);
  const { destination } = lastFlight(slice);
  return { origin, destination, distanceKm: greatCircleKm(origin, destination) };
}

/** An adult's fare for one direction in euro cents: by distance, cabin, brand, and how full the flights are. */
function sliceCents(slice: Itinerary, cabin: Cabin, brand: FareBrand): number {
  const { distanceKm } = endsOf(slice);
  const classic = 3000 + 14 * distanceKm ** 0.9;
  const cabinPercent = CABIN_PERCENT[cabin][distanceKm >= LONG_KM ? 'long' : 'short'];
  const flights: readonly Flight[] = slice.flights;
  const words = flights.flatMap(({ key }) => [key.airline, key.origin, key.destination, key.frequency, key.date]);
  const demandPercent = (flights.length > 1 ? 72 : 80) + seededInteger(50, 'demand', ...words);
  return Math.round((classic * cabinPercent * BRAND_PERCENT[brand] * demandPercent) / 100 ** 3);
}

function passengerFare(
  type: PassengerType,
  adultBase: Amount,
  journey: readonly JourneyEnds[],
  currency: Currency,
): PassengerFare {
  const base = roundToFareStep(percentOf(adultBase, PASSENGER_PERCENT[type]));
  const taxes = taxesOf(type, journey, currency);
  return { type, base, taxes, total: sum([base, ...taxes.map((tax) => tax.amount)], currency) };
}

function priceOf(passengers: readonly PassengerFare[], currency: Currency): OfferPrice {
  const byCode = new Map<string, Tax>();
  for (const tax of passengers.flatMap((passenger) => passenger.taxes)) {
    const before = byCode.get(tax.code)?.amount ?? zero(currency);
    byCode.set(tax.code, { ...tax, amount: add(before, tax.amount) });
  }
  const base = sum(
    passengers.map((passenger) => passenger.base),
    currency,
  );
  const taxes = [...byCode.values()].sort((one, other) => (one.code < other.code ? -1 : 1));
  const fees = fromEuroCents(SERVICE_FEE_CENTS, currency);
  return { base, taxes, fees, total: sum([base, ...taxes.map((tax) => tax.amount), fees], currency) };
}

function segmentsOf(
  slices: readonly Itinerary[],
  { cabin: wanted, brand }: OfferSelection,
  long: boolean,
): readonly OfferedSegment[] {
  const countryCode = slices[0] ? firstFlight(slices[0]).origin.countryCode : '';
  const flights = slices.flatMap((slice, index) => slice.flights.map((flight) => ({ slice: index, flight })));
  return flights.map(({ slice, flight }, index) => {
    const cabin = cabinOn(flight, wanted);
    const bookingClass = bookingClassOf(cabin, brand);
    const fareBasis = fareBasisOf({ bookingClass, long, isReturn: slices.length > 1, countryCode, brand });
    return { id: `seg_${index + 1}`, slice, flight, cabin, bookingClass, fareBasis };
  });
}

function conditionsOf(brand: FareBrand, long: boolean, currency: Currency): OfferConditions {
  const { changeCents, refundCents, endorsements } = penaltiesOf(brand, long);
  const penalty = (cents: number | undefined): Amount | undefined =>
    cents === undefined ? undefined : fromEuroCents(BigInt(cents), currency);
  return { changePenalty: penalty(changeCents), refundPenalty: penalty(refundCents), endorsements };
}
