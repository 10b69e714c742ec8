import type {
  Airport,
  BookingPrice,
  FareConditions,
  PassengerType,
  TaxAmount,
  TicketedSegment,
} from '@eticket/contracts';
import type { KnownAirport } from '../airports/airports.js';
import { toWire, type Amount } from '../money/money.js';
import {
  arrivalOf,
  departureOf,
  firstFlight,
  lastFlight,
  totalMinutes,
  type Flight,
  type Itinerary,
} from '../timetable/flight.js';
import { dayChange, toIsoDuration, toOffsetTime } from '../times/local-time.js';
import { baggageOf } from './fare-brands.js';
import type { Offer, OfferConditions, OfferedSegment, OfferPrice, PassengerFare } from './offer.js';
import type { Tax } from './taxes.js';

/** Parts of an offer in the form that API and events share (`libs/contracts`). */

export function airportToWire(airport: KnownAirport, terminal: string | undefined): Airport {
  const { iataCode, name, cityName, countryCode, timeZone } = airport;
  return { iataCode, name, cityName, countryCode, timeZone, ...(terminal !== undefined && { terminal }) };
}

export function taxToWire(tax: Tax): TaxAmount {
  return { code: tax.code, name: tax.name, ...toWire(tax.amount) };
}

export function priceToWire(price: OfferPrice): BookingPrice {
  return {
    base: toWire(price.base),
    taxes: price.taxes.map(taxToWire),
    fees: toWire(price.fees),
    total: toWire(price.total),
  };
}

export function conditionsToWire(conditions: OfferConditions): FareConditions {
  const condition = (penalty: Amount | undefined): FareConditions['changeBeforeDeparture'] =>
    penalty === undefined ? { allowed: false } : { allowed: true, penalty: toWire(penalty) };
  return {
    changeBeforeDeparture: condition(conditions.changePenalty),
    refundBeforeDeparture: condition(conditions.refundPenalty),
    endorsements: conditions.endorsements,
  };
}

/** All of a ticketed segment but its status. */
export type SegmentWire = Omit<TicketedSegment, 'status'>;

/** The offers of a search share flights and itineraries: what is told of each is made once. */
function once<Of extends object, What>(make: (of: Of) => What): (of: Of) => What {
  const made = new WeakMap<Of, What>();
  return (of) => {
    const what = made.get(of) ?? make(of);
    made.set(of, what);
    return what;
  };
}

const flightToWire = once((flight: Flight) => ({
  marketingCarrier: { iataCode: flight.airline.iataCode, name: flight.airline.name },
  origin: airportToWire(flight.origin, flight.originTerminal),
  destination: airportToWire(flight.destination, flight.destinationTerminal),
  departingAt: toOffsetTime(departureOf(flight)),
  arrivingAt: toOffsetTime(arrivalOf(flight)),
  duration: toIsoDuration(flight.minutes),
}));

/** What one passenger pays; passengers of one type share it. */
export const fareToWire = once(({ type, base, taxes, total }: PassengerFare) => ({
  type,
  base: toWire(base),
  taxes: taxes.map(taxToWire),
  total: toWire(total),
}));

/** Of an offer's slice, all but its segments. */
export const sliceToWire = once((slice: Itinerary) => ({
  duration: toIsoDuration(totalMinutes(slice)),
  stops: slice.flights.length - 1,
  dayChange: dayChange(departureOf(firstFlight(slice)), arrivalOf(lastFlight(slice))),
}));

export function segmentToWire(segment: OfferedSegment, offer: Offer): SegmentWire {
  const { flight, cabin } = segment;
  const { marketingCarrier, origin, destination, departingAt, arrivingAt, duration } = flightToWire(flight);
  const { brand } = offer.selection;
  const types = passengerTypesOf(offer);
  return {
    id: segment.id,
    slice: segment.slice,
    marketingCarrier,
    flightNumber: flight.flightNumber,
    operatingCarrier: flight.operatedBy,
    cabin,
    bookingClass: segment.bookingClass,
    fareBasis: segment.fareBasis,
    origin,
    destination,
    departingAt,
    arrivingAt,
    duration,
    aircraft: flight.aircraft,
    baggage: types.map((type) => baggageOf(type, cabin, brand)),
  };
}

const passengerTypesOf = once((offer: Offer): readonly PassengerType[] => [
  ...new Set(offer.passengers.map(({ type }) => type)),
]);
