import { AIRPORTS, type KnownAirport } from './airports.js';
import { SPANISH_CITY_NAMES } from './city-names.es.data.js';

/** Small letters without accents: `Bogotá` and `BOGOTA` are one. */
export function folded(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replace(/\s+/g, ' ').trim();
}

const INDEX = [...AIRPORTS.values()].map((airport) => ({
  airport,
  city: folded(airport.cityName),
  // As travellers call it, in whichever language.
  names: [airport.cityName, SPANISH_CITY_NAMES[airport.cityName] ?? '', airport.name].map(folded),
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
  const exact = INDEX.filter(({ names }) => names.includes(text));
  const found =
    exact.length > 0
      ? exact
      : INDEX.filter(
          ({ names: [city = '', spanish = '', name = ''] }) =>
            city.startsWith(text) || spanish.startsWith(text) || name.includes(text),
        );
  const cities = new Set(found.map(({ city }) => city));
  if (cities.size !== 1) return undefined;
  return found.map(({ airport }) => airport).sort((one, other) => other.terminals.length - one.terminals.length)[0];
}
