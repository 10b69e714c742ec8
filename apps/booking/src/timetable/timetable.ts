import { AIRLINES, type KnownAirline } from '../airlines/airlines.js';
import type { KnownAirport } from '../airports/airports.js';
import { instantOfWallTime } from '../times/local-time.js';
import type { Flight, FlightKey } from './flight.js';
import { routeOf, type Route } from './routes.js';
import { seededInteger } from './seeded-choice.js';

/** Departures fall between 06:00 and 22:00, spread over the day by frequency. */
const FIRST_DEPARTURE_MINUTE = 6 * 60;
const DEPARTURE_WINDOW_MINUTES = 16 * 60;

/** All flights of a route on a local date, in the order of their departures. */
export function flightsOn(route: Route, date: string): readonly Flight[] {
  return dailyFlightsOf(route).map((daily, frequency) => flightOf(daily, frequency, date));
}

/** The flight that a key names, or undefined when the timetable has none such. */
export function findFlight(key: FlightKey): Flight | undefined {
  const airline = AIRLINES.get(key.airline);
  const route = airline && routeOf(airline, key.origin, key.destination);
  const daily = route && dailyFlightsOf(route)[key.frequency];
  return daily && flightOf(daily, key.frequency, key.date);
}

/** What a flight has on every day. */
type DailyFlight = Omit<Flight, 'key' | 'departsMs' | 'arrivesMs'> & { readonly minuteOfDay: number };

/** Those of each route in the order of their departures. */
const dailyFlights = new WeakMap<Route, readonly DailyFlight[]>();

function dailyFlightsOf(route: Route): readonly DailyFlight[] {
  const known = dailyFlights.get(route);
  if (known) return known;
  const daily = Array.from({ length: route.frequencies }, (_, frequency) => dailyFlightOf(route, frequency));
  dailyFlights.set(route, daily);
  return daily;
}

function flightOf(daily: DailyFlight, frequency: number, date: string): Flight {
  const { airline, origin, destination, minutes } = daily;
  const departsMs = instantOfWallTime(date, daily.minuteOfDay, origin.timeZone);
  // Written out: a search makes hundreds of them, and a spread of the rest takes several times as long.
  return {
    key: { airline: airline.iataCode, origin: origin.iataCode, destination: destination.iataCode, frequency, date },
    airline,
    operatedBy: daily.operatedBy,
    flightNumber: daily.flightNumber,
    origin,
    destination,
    originTerminal: daily.originTerminal,
    destinationTerminal: daily.destinationTerminal,
    departsMs,
    arrivesMs: departsMs + minutes * 60_000,
    minutes,
    distanceKm: daily.distanceKm,
    aircraft: daily.aircraft,
  };
}

function dailyFlightOf(route: Route, frequency: number): DailyFlight {
  const { airline, origin, destination, distanceKm } = route;
  const words = [airline.iataCode, origin.iataCode, destination.iataCode, frequency] as const;
  const window = Math.floor(DEPARTURE_WINDOW_MINUTES / route.frequencies);
  return {
    minuteOfDay:
      FIRST_DEPARTURE_MINUTE + window * frequency + 5 * seededInteger(Math.floor(window / 5), 'departure', ...words),
    airline,
    operatedBy: operatorOf(route, frequency),
    flightNumber: String(
      distanceKm > 4500 ? 10 + seededInteger(590, 'number', ...words) : 600 + seededInteger(8400, 'number', ...words),
    ),
    origin,
    destination,
    originTerminal: terminalOf(airline, origin),
    destinationTerminal: terminalOf(airline, destination),
    minutes: blockMinutes(route),
    distanceKm,
    aircraft: aircraftOf(route, frequency),
  };
}

/**
 * Gate to gate: half an hour of taxi, climb and approach, then 12.5 km a minute on short and 14.3 (860 km/h) on long
 * flights, 5 % less eastbound and more westbound for the jet streams; in steps of five minutes.
 */
function blockMinutes({ distanceKm, origin, destination }: Route): number {
  const cruise = distanceKm <= 1500 ? distanceKm / 12.5 : 120 + (distanceKm - 1500) / 14.3;
  const eastwards = ((destination.longitude - origin.longitude + 540) % 360) - 180;
  const wind = Math.abs(eastwards) < 10 ? 1 : eastwards > 0 ? 0.95 : 1.05;
  return Math.ceil((30 + cruise * wind) / 5) * 5;
}

function operatorOf({ airline, distanceKm, origin, destination }: Route, frequency: number): Flight['operatedBy'] {
  const { regionalOperator } = airline;
  const regional =
    regionalOperator !== undefined &&
    distanceKm < 1200 &&
    seededInteger(3, 'operator', airline.iataCode, origin.iataCode, destination.iataCode, frequency) === 0;
  return regional ? regionalOperator : { iataCode: airline.iataCode, name: airline.name };
}

const KNOWN_TERMINALS: Readonly<Record<string, string>> = {
  'BA LHR': '5', 'IB MAD': '4', 'UX MAD': '1', 'VS LHR': '3', 'AF CDG': '2F', 'LH FRA': '1', 'LH MUC': '2', 'EK DXB': '3',
  'TP LIS': '1', 'EI DUB': '2', 'DL JFK': '4', 'AA JFK': '8', 'B6 JFK': '5', 'AZ FCO': '1', 'SQ SIN': '3', 'QF SYD': '1',
  'NH HND': '2', 'JL HND': '1', 'AI DEL': '3', 'KU KWI': '4', 'NZ AKL': 'I', 'KE ICN': '2', 'OZ ICN': '1', 'CX HKG': '1',
}; // prettier-ignore

function terminalOf(airline: KnownAirline, airport: KnownAirport): string | undefined {
  const known = KNOWN_TERMINALS[`${airline.iataCode} ${airport.iataCode}`];
  if (known !== undefined || airport.terminals.length === 0) return known;
  return airport.terminals[seededInteger(airport.terminals.length, 'terminal', airline.iataCode, airport.iataCode)];
}

const AIRCRAFT: readonly { readonly upToKm: number; readonly types: readonly string[] }[] = [
  { upToKm: 800, types: ['Embraer E195-E2', 'Airbus A220-300', 'Airbus A320neo'] },
  { upToKm: 4500, types: ['Airbus A320neo', 'Airbus A321neo', 'Boeing 737-8'] },
  { upToKm: 9500, types: ['Airbus A330-900', 'Boeing 787-9', 'Airbus A350-900'] },
  { upToKm: Infinity, types: ['Airbus A350-900', 'Boeing 777-300ER', 'Airbus A350-1000', 'Boeing 787-9'] },
];

function aircraftOf({ airline, origin, destination, distanceKm }: Route, frequency: number): string {
  const types = AIRCRAFT.find(({ upToKm }) => distanceKm <= upToKm)?.types ?? [];
  const words = [airline.iataCode, origin.iataCode, destination.iataCode, frequency];
  return types[seededInteger(types.length, 'aircraft', ...words)] ?? 'Airbus A320neo';
}
