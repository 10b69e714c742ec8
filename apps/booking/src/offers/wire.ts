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
import { arrivalOf, departureOf } from '../timetable/flight.js';
import { toIsoDuration, toOffsetTime } from '../times/local-time.js';
import { baggageOf } from './fare-brands.js';
import type { Offer, OfferConditions, OfferedSegment, OfferPrice } from './offer.js';
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

export function segmentToWire(segment: OfferedSegment, offer: Offer): SegmentWire {
  const { flight, cabin } = segment;
  const { brand } = offer.selection;
  const types = [...new Set(offer.passengers.map((passenger): PassengerType => passenger.type))];
  return {
    id: segment.id,
    slice: segment.slice,
    marketingCarrier: { iataCode: flight.airline.iataCode, name: flight.airline.name },
    flightNumber: flight.flightNumber,
    operatingCarrier: flight.operatedBy,
    cabin,
    bookingClass: segment.bookingClass,
    fareBasis: segment.fareBasis,
    origin: airportToWire(flight.origin, flight.originTerminal),
    destination: airportToWire(flight.destination, flight.destinationTerminal),
    departingAt: toOffsetTime(departureOf(flight)),
    arrivingAt: toOffsetTime(arrivalOf(flight)),
    duration: toIsoDuration(flight.minutes),
    aircraft: flight.aircraft,
    baggage: types.map((type) => baggageOf(type, cabin, brand)),
  };
}
