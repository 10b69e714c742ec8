import { AIRLINES, type KnownAirline } from '../airlines/airlines.js';
import { greatCircleKm, type KnownAirport } from '../airports/airports.js';
import { addDays, dateAt } from '../times/local-time.js';
import { firstFlight, totalMinutes, type Flight, type Itinerary } from './flight.js';
import { routeOf, type Route } from './routes.js';
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
  const directKm = greatCircleKm(origin, destination);
  const found = pathsBetween(origin, destination).flatMap(({ first, second }): readonly Itinerary[] =>
    second
      ? connectionsOn(first, second, date, directKm)
      : flightsOn(first, date).map((flight) => ({ flights: [flight] })),
  );
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

/** A route between two airports, or two of one airline that meet at its hub. */
interface Path {
  readonly first: Route;
  readonly second: Route | undefined;
}

/** Pairs of airports whose paths are remembered; some hundred bytes a path. */
const PAIRS = 2_000;
const paths = new Map<string, readonly Path[]>();

/** Every airline's way from here to there, which is the same on every day. */
function pathsBetween(origin: KnownAirport, destination: KnownAirport): readonly Path[] {
  const pair = `${origin.iataCode}${destination.iataCode}`;
  const known = paths.get(pair);
  if (known) return known;
  const directKm = greatCircleKm(origin, destination);
  const found = [...AIRLINES.values()].flatMap((airline) => {
    const direct = routeOf(airline, origin.iataCode, destination.iataCode);
    return direct ? [{ first: direct, second: undefined }] : pathsByHub(airline, origin, destination, directKm);
  });
  if (paths.size >= PAIRS) paths.clear();
  paths.set(pair, found);
  return found;
}

function pathsByHub(
  airline: KnownAirline,
  origin: KnownAirport,
  destination: KnownAirport,
  directKm: number,
): readonly Path[] {
  return airline.hubs.flatMap((hub) => {
    const first = routeOf(airline, origin.iataCode, hub);
    const second = routeOf(airline, hub, destination.iataCode);
    return first && second && detourIsSane(directKm, first.distanceKm + second.distanceKm) ? [{ first, second }] : [];
  });
}

function connectionsOn(first: Route, second: Route, date: string, directKm: number): readonly Itinerary[] {
  const arrivals = flightsOn(first, date);
  // Onward flights leave on the local date of the arrival, or on the day after.
  const arrivalDates = new Set(arrivals.map((flight) => dateAt(flight.arrivesMs, flight.destination.timeZone)));
  const onwardDates = new Set([...arrivalDates].flatMap((day) => [day, addDays(day, 1)]));
  const onward = [...onwardDates].sort().flatMap((day) => flightsOn(second, day));
  return arrivals.flatMap((arrival) => {
    const next = onward.find((departure) => connects(arrival, departure, directKm));
    return next ? [{ flights: [arrival, next] as const }] : [];
  });
}

/** Whether a traveller of the one flight makes the other, and does not wait too long. */
export function connects(arrival: Flight, departure: Flight, journeyKm: number): boolean {
  const waiting = (departure.departsMs - arrival.arrivesMs) / 60_000;
  return waiting >= minimumConnectionMinutes(arrival, departure) && waiting <= maximumConnectionMinutes(journeyKm);
}
