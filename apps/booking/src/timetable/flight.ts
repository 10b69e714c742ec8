import type { DateTime } from 'luxon';
import type { KnownAirline } from '../airlines/airlines.js';
import type { KnownAirport } from '../airports/airports.js';

/** Names one flight of the timetable. */
export interface FlightKey {
  /** IATA designator of the marketing carrier. */
  readonly airline: string;
  readonly origin: string;
  readonly destination: string;
  /** 0 for the first flight of the day on this route, 1 for the second, … */
  readonly frequency: number;
  /** Local date of departure, `YYYY-MM-DD`. */
  readonly date: string;
}

/** One flight on one day. */
export interface Flight {
  readonly key: FlightKey;
  readonly airline: KnownAirline;
  readonly operatedBy: { readonly iataCode: string; readonly name: string };
  /** Without the carrier. */
  readonly flightNumber: string;
  readonly origin: KnownAirport;
  readonly destination: KnownAirport;
  readonly originTerminal: string | undefined;
  readonly destinationTerminal: string | undefined;
  /** In the origin's zone. */
  readonly departingAt: DateTime<true>;
  /** In the destination's zone. */
  readonly arrivingAt: DateTime<true>;
  /** Block time. */
  readonly minutes: number;
  readonly distanceKm: number;
  readonly aircraft: string;
}

/** One or two flights of one airline that bring a traveller from an origin to a destination. */
export interface Itinerary {
  readonly flights: readonly [Flight] | readonly [Flight, Flight];
}

export function firstFlight(itinerary: Itinerary): Flight {
  return itinerary.flights[0];
}

export function lastFlight(itinerary: Itinerary): Flight {
  return itinerary.flights[1] ?? itinerary.flights[0];
}

/** From the first departure to the last arrival. */
export function totalMinutes(itinerary: Itinerary): number {
  const elapsed = lastFlight(itinerary).arrivingAt.toMillis() - firstFlight(itinerary).departingAt.toMillis();
  return Math.round(elapsed / 60_000);
}
