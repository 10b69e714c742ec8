import type { Cabin, PassengerType } from '@eticket/contracts';
import type { KnownAirline } from '../airlines/airlines.js';
import type { Amount } from '../money/money.js';
import type { Currency } from '../money/currency.js';
import type { Flight, FlightKey, Itinerary } from '../timetable/flight.js';
import type { FareBrand } from './fare-brands.js';
import type { Tax } from './taxes.js';

/** How many travel. Adults and children have seats, infants a lap. */
export interface PassengerCounts {
  readonly adults: number;
  readonly children: number;
  readonly infants: number;
}

/** All that an offer follows from, with the timetable and the fares; its id says exactly this. */
export interface OfferSelection {
  /** Start of the window that the offer was made in; see `offer-lifetime.ts`. */
  readonly madeAt: Date;
  /** Flights out and, for a return, back. */
  readonly slices: readonly (readonly FlightKey[])[];
  readonly cabin: Cabin;
  readonly brand: FareBrand;
  readonly counts: PassengerCounts;
  readonly currency: Currency;
}

/** One flight as it is sold in one fare. */
export interface OfferedSegment {
  readonly id: string;
  readonly slice: number;
  readonly flight: Flight;
  readonly cabin: Cabin;
  readonly bookingClass: string;
  readonly fareBasis: string;
}

/** What one passenger pays. */
export interface PassengerFare {
  readonly type: PassengerType;
  readonly base: Amount;
  readonly taxes: readonly Tax[];
  readonly total: Amount;
}

/** Over all passengers: base + taxes + fees = total, always. */
export interface OfferPrice {
  readonly base: Amount;
  readonly taxes: readonly Tax[];
  /** The agency's own service fee, once a booking. */
  readonly fees: Amount;
  readonly total: Amount;
}

/** Undefined: not allowed. */
export interface OfferConditions {
  readonly changePenalty: Amount | undefined;
  readonly refundPenalty: Amount | undefined;
  readonly endorsements: string;
}

/** A journey with its price, open until it expires. */
export interface Offer {
  readonly selection: OfferSelection;
  readonly expiresAt: Date;
  readonly validatingCarrier: KnownAirline;
  readonly slices: readonly Itinerary[];
  readonly segments: readonly OfferedSegment[];
  /** One for each passenger: adults, then children, then infants. */
  readonly passengers: readonly PassengerFare[];
  readonly price: OfferPrice;
  readonly conditions: OfferConditions;
}
