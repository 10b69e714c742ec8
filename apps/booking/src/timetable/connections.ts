import { AIRLINES, type KnownAirline } from '../airlines/airlines.js';
import { greatCircleKm, type KnownAirport } from '../airports/airports.js';
import { addDays, dateAt } from '../times/local-time.js';
import { firstFlight, totalMinutes, type Flight, type Itinerary } from './flight.js';
import { routeOf } from './routes.js';
import { flightsOn } from './timetable.js';

/** Least minutes between two flights of one airline at its hub; more where border control stands between. */
export function minimumConnectionMinutes(arriving: Flight, departing: Flight): number {
  const domestic = (flight: Flight): boolean => flight.origin.countryCode === flight.destination.countryCode;
  const base = domestic(arriving) && domestic(departing) ? 45 : 70;
  return arriving.destinationTerminal === departing.originTerminal ? base : base + 20;
}

/** Longer waits are sold on long journeys only, where there may be one flight a day. */
function maximumConnectionMinutes(journeyKm: number): number {
  return journeyKm > 4500 ? 14 * 60 : 5 * 60;
}

/** A stop may lengthen a journey by 35 %, or by 500 km where that is more. */
function detourIsSane(directKm: number, flownKm: number): boolean {
  return flownKm <= Math.max(directKm * 1.35, directKm + 500);
}

/** Every itinerary on a local date that leaves after `notBefore` and is wanted: without a stop first, then the quickest. */
export function itinerariesBetween(
  origin: KnownAirport,
  destination: KnownAirport,
  date: string,
  notBefore: Date,
  wanted: (itinerary: Itinerary) => boolean,
): readonly Itinerary[] {
  const found: Itinerary[] = [];
  for (const airline of AIRLINES.values()) {
    const direct = routeOf(airline, origin.iataCode, destination.iataCode);
    if (direct) found.push(...flightsOn(direct, date).map((flight): Itinerary => ({ flights: [flight] })));
    else found.push(...connectionsOf(airline, origin, destination, date));
  }
  return found
    .filter((itinerary) => firstFlight(itinerary).departsMs > notBefore.getTime() && wanted(itinerary))
    .sort(
      (one, other) =>
        one.flights.length - other.flights.length ||
        totalMinutes(one) - totalMinutes(other) ||
        firstFlight(one).departsMs - firstFlight(other).departsMs ||
        firstFlight(one).airline.iataCode.localeCompare(firstFlight(other).airline.iataCode, 'en'),
    );
}

function connectionsOf(
  airline: KnownAirline,
  origin: KnownAirport,
  destination: KnownAirport,
  date: string,
): readonly Itinerary[] {
  const directKm = greatCircleKm(origin, destination);
  const found: Itinerary[] = [];
  for (const hub of airline.hubs) {
    const first = routeOf(airline, origin.iataCode, hub);
    const second = routeOf(airline, hub, destination.iataCode);
    if (!first || !second || !detourIsSane(directKm, first.distanceKm + second.distanceKm)) continue;
    const arrivals = flightsOn(first, date);
    // Onward flights leave on the local date of the arrival, or on the day after.
    const arrivalDates = new Set(arrivals.map((flight) => dateAt(flight.arrivesMs, flight.destination.timeZone)));
    const onwardDates = new Set([...arrivalDates].flatMap((day) => [day, addDays(day, 1)]));
    const onward = [...onwardDates].sort().flatMap((day) => flightsOn(second, day));
    for (const arrival of arrivals) {
      const next = onward.find((departure) => connects(arrival, departure, directKm));
      if (next) found.push({ flights: [arrival, next] });
    }
  }
  return found;
}

/** Whether a traveller of the one flight makes the other, and does not wait too long. */
export function connects(arrival: Flight, departure: Flight, journeyKm: number): boolean {
  const waiting = (departure.departsMs - arrival.arrivesMs) / 60_000;
  return waiting >= minimumConnectionMinutes(arrival, departure) && waiting <= maximumConnectionMinutes(journeyKm);
}
