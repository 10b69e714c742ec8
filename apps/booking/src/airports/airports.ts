import { AIRPORT_TABLE } from './airports.data.js';

/** An airport of the timetable. */
export interface KnownAirport {
  /** IATA code, three letters. */
  readonly iataCode: string;
  readonly name: string;
  readonly cityName: string;
  /** ISO 3166-1 alpha-2. */
  readonly countryCode: string;
  /** IANA zone. */
  readonly timeZone: string;
  readonly latitude: number;
  readonly longitude: number;
  /** Empty where the airport has one terminal without a name. */
  readonly terminals: readonly string[];
}

function airportOf(row: string): KnownAirport {
  const [iataCode, name, cityName, countryCode, timeZone, latitude, longitude, terminals] = row.split('|');
  if (!iataCode || !name || !cityName || !countryCode || !timeZone || terminals === undefined) {
    throw new Error(`Unreadable airport: ${row}`);
  }
  return {
    iataCode,
    name,
    cityName,
    countryCode,
    timeZone,
    latitude: Number(latitude),
    longitude: Number(longitude),
    terminals: terminals === '' ? [] : terminals.split(' '),
  };
}

/** Every airport of the timetable by its IATA code. */
export const AIRPORTS: ReadonlyMap<string, KnownAirport> = new Map(
  AIRPORT_TABLE.trim()
    .split('\n')
    .map(airportOf)
    .map((airport) => [airport.iataCode, airport]),
);

const EARTH_RADIUS_KM = 6371;

/** Kilometres along the great circle (haversine), rounded. */
export function greatCircleKm(from: KnownAirport, to: KnownAirport): number {
  const radians = (degrees: number): number => (degrees * Math.PI) / 180;
  const latitudes = radians(to.latitude - from.latitude);
  const longitudes = radians(to.longitude - from.longitude);
  const chord =
    Math.sin(latitudes / 2) ** 2 +
    Math.cos(radians(from.latitude)) * Math.cos(radians(to.latitude)) * Math.sin(longitudes / 2) ** 2;
  return Math.round(2 * EARTH_RADIUS_KM * Math.asin(Math.sqrt(chord)));
}
