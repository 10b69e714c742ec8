import { AIRLINES, type KnownAirline } from '../airlines/airlines.js';
import { AIRPORTS, greatCircleKm, type KnownAirport } from '../airports/airports.js';

/** Flights longer than this leave from and to gateways only. */
const LONG_HAUL_KM = 6500;
/** From a small hub nothing longer leaves. */
const SMALL_HUB_KM = 4500;

/** Airports with long-haul flights of foreign airlines beside the great hubs. */
const OTHER_GATEWAYS =
  'HNL KIX BCN MXP MAN GIG EZE MIA LAX SFO BOS DUS BER VCE NCE CUN LAS MCO MEL BNE PER FUK CTS JNB CPT NBO LOS LIM KTM CMB MNL CGK DPS'.split(
    ' ',
  );

const GATEWAYS: ReadonlySet<string> = new Set([
  ...OTHER_GATEWAYS,
  ...[...AIRLINES.values()]
    .filter((airline) => airline.longestKm >= 9000)
    .flatMap((airline) => airline.hubs.filter((hub) => !airline.smallHubs.has(hub))),
]);

/** A pair of airports that an airline flies between without a stop. */
export interface Route {
  readonly airline: KnownAirline;
  readonly origin: KnownAirport;
  readonly destination: KnownAirport;
  readonly distanceKm: number;
  /** Flights a day. */
  readonly frequencies: number;
}

/** Those that were asked for and are flown, by airline and airports: as many as the tables give. */
const routes = new Map<string, Route>();

/** The route, where the airline flies it: from or to one of its hubs, within its reach. The same object each time. */
export function routeOf(airline: KnownAirline, originCode: string, destinationCode: string): Route | undefined {
  const name = `${airline.iataCode}${originCode}${destinationCode}`;
  const known = routes.get(name);
  if (known) return known;
  const route = findRoute(airline, originCode, destinationCode);
  if (route) routes.set(name, route);
  return route;
}

function findRoute(airline: KnownAirline, originCode: string, destinationCode: string): Route | undefined {
  const origin = AIRPORTS.get(originCode);
  const destination = AIRPORTS.get(destinationCode);
  if (!origin || !destination || origin.cityName === destination.cityName) return undefined;
  const hubs = [originCode, destinationCode].filter((code) => airline.hubs.includes(code));
  if (hubs.length === 0) return undefined;
  const distanceKm = greatCircleKm(origin, destination);
  if (distanceKm > airline.longestKm || distanceKm < airline.shortestKm) return undefined;
  if (distanceKm > SMALL_HUB_KM && hubs.every((hub) => airline.smallHubs.has(hub))) return undefined;
  const gateways = [originCode, destinationCode].filter((code) => GATEWAYS.has(code)).length;
  if (distanceKm > LONG_HAUL_KM && gateways < 2) return undefined;
  return { airline, origin, destination, distanceKm, frequencies: frequenciesOf(distanceKm, gateways) };
}

function frequenciesOf(distanceKm: number, gateways: number): number {
  if (distanceKm <= 1500) return gateways === 2 ? 4 : 3;
  if (distanceKm <= 4500) return gateways === 2 ? 3 : 2;
  return gateways === 2 && distanceKm <= 9500 ? 2 : 1;
}
