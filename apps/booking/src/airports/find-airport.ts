import { AIRPORTS, type KnownAirport } from './airports.js';

/** Small letters without accents: `Bogotá` and `BOGOTA` are one. */
export function folded(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replace(/\s+/g, ' ').trim();
}

/** `Madrid (MAD)` */
export function placeName({ cityName, iataCode }: KnownAirport): string {
  return `${cityName} (${iataCode})`;
}

const INDEX = [...AIRPORTS.values()].map((airport) => ({
  airport,
  city: folded(airport.cityName),
  name: folded(airport.name),
}));

/**
 * The airport that somebody means: by code, by city, by name, or by the beginning of one of them. Undefined when that
 * could be airports of several cities; of a city's airports it is the one with the most terminals.
 */
export function findAirport(typed: string): KnownAirport | undefined {
  const code = /\(([a-z]{3})\)\s*$/i.exec(typed)?.[1] ?? typed.trim();
  const known = AIRPORTS.get(code.toUpperCase());
  if (known) return known;
  const text = folded(typed);
  if (text.length < 3) return undefined;
  const exact = INDEX.filter(({ city, name }) => city === text || name === text);
  const found =
    exact.length > 0 ? exact : INDEX.filter(({ city, name }) => city.startsWith(text) || name.includes(text));
  const cities = new Set(found.map(({ city }) => city));
  if (cities.size !== 1) return undefined;
  return found.map(({ airport }) => airport).sort((one, other) => other.terminals.length - one.terminals.length)[0];
}
