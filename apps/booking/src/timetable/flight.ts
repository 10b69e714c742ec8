import type { DateTime } from 'luxon';
import { inZone } from '../times/local-time.js';
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
  /** In ms since 1970. */
  readonly departsMs: number;
  readonly arrivesMs: number;
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
  const elapsed = lastFlight(itinerary).arrivesMs - firstFlight(itinerary).departsMs;
  return Math.round(elapsed / 60_000);
}

/** As the clocks at its origin show it. */
export function departureOf({ departsMs, origin }: Flight): DateTime<true> {
  return inZone(departsMs, origin.timeZone);
}

/** As the clocks at its destination show it. */
export function arrivalOf({ arrivesMs, destination }: Flight): DateTime<true> {
  return inZone(arrivesMs, destination.timeZone);
}
