import { CABINS } from '@eticket/contracts';
import { findAirport } from '../airports/find-airport.js';
import { AIRPORTS } from '../airports/airports.js';
import { CURRENCIES } from '../money/currency.js';
import { addDays } from '../times/local-time.js';
import { Form, type Field, type FormValues } from './fields.js';
import { LANGUAGES, type Language } from './language.js';
import { WORDS, type Words } from './words.js';

const DAYS_TO_DEPARTURE = 30;
/** IATA's code for no airport at all. */
const NO_AIRPORT = 'ZZZ';

interface AirportChoice {
  readonly value: string;
  readonly label: string;
  readonly city: string;
  readonly name: string;
  readonly code: string;
  /** The city's name in the airport table, where it is another one. */
  readonly also?: string;
}

/** What the partial `search` shows. */
export interface SearchFormView {
  readonly errors: readonly object[];
  readonly search: {
    readonly places: readonly Field[];
    readonly dates: readonly Field[];
    readonly who: readonly Field[];
    readonly airports: readonly AirportChoice[];
    /** What is said of how many there are. */
    readonly found: { readonly one: string; readonly many: string; readonly none: string };
  };
}

export function firstSearch(now: Date): FormValues {
  const departureDate = addDays(now.toISOString().slice(0, 10), DAYS_TO_DEPARTURE);
  return { departureDate, adults: '1', children: '0', infants: '0', cabin: 'economy', currency: 'EUR' };
}

/** The query of `GET /api/offers` that a form asks for; a place that is none stands as an unknown one. */
export function searchQuery(values: FormValues): Record<string, string> {
  const query: Record<string, string> = {};
  for (const name of ['origin', 'destination'] as const) {
    const typed = values[name] ?? '';
    // Of the right form, so that whatever else is wrong is told with it.
    if (typed.trim() !== '') query[name] = findAirport(typed)?.iataCode ?? NO_AIRPORT;
  }
  for (const name of ['departureDate', 'returnDate', 'adults', 'children', 'infants', 'cabin', 'currency']) {
    const value = values[name]?.trim();
    if (value) query[name] = value;
  }
  return query;
}

/** By field: told together with what else is wrong, not only when that is put right. */
export function unknownPlaces(values: FormValues): readonly (readonly [string, string])[] {
  return (['origin', 'destination'] as const)
    .filter((name) => findAirport(values[name] ?? '') === undefined)
    .map((name) => [name, 'unknown_airport'] as const);
}

export function searchFormView(
  values: FormValues,
  wrong: ReadonlyMap<string, string>,
  words: Words,
  now: Date,
): SearchFormView {
  const form = new Form(values, wrong, words);
  const today = now.toISOString().slice(0, 10);
  const label = (name: string): string => words.t(`search.${name}`);
  const count = (name: string, from: number, to: number): Field =>
    form.field({
      name,
      label: label(name),
      hint: label(`${name}Hint`),
      choices: Array.from({ length: to - from + 1 }, (_, at) => [String(from + at), String(from + at)] as const),
    });
  const place = (name: string): Field =>
    form.field({
      name,
      label: label(name),
      list: 'airports',
      autocomplete: 'off',
      placeholder: label('place'),
      required: true,
    });
  const date = (name: string, more: object): Field =>
    form.field({ name, label: label(name), type: 'date', min: today, max: addDays(today, 331), ...more });
  const search = {
    places: [place('origin'), place('destination')],
    dates: [date('departureDate', { required: true }), date('returnDate', { hint: label('returnHint') })],
    who: [
      count('adults', 1, 9),
      count('children', 0, 8),
      count('infants', 0, 9),
      form.field({
        name: 'cabin',
        label: label('cabin'),
        choices: CABINS.map((cabin) => [cabin, words.t(`cabins.${cabin}`)] as const),
      }),
      form.field({
        name: 'currency',
        label: label('currency'),
        choices: [...CURRENCIES.keys()].map((code) => [code, code] as const),
      }),
    ],
    airports: AIRPORT_CHOICES[words.language],
    found: { one: label('airportOne'), many: label('airportMany'), none: label('airportNone') },
  };
  return { errors: form.errors, search };
}

/** Browsers look for what is typed in the label too: there the names stand without accents. */
const AIRPORT_CHOICES = Object.fromEntries(
  LANGUAGES.map((language) => [language, airportChoices(language)]),
) as Readonly<Record<Language, readonly AirportChoice[]>>;

function airportChoices(language: Language): readonly AirportChoice[] {
  return [...AIRPORTS.values()]
    .map(({ cityName, name, iataCode: code }) => {
      const city = WORDS[language].city(cityName);
      const label = `${city} · ${name}`.normalize('NFKD').replace(/\p{M}/gu, '');
      return { value: `${city} (${code})`, label, city, name, code, ...(city !== cityName && { also: cityName }) };
    })
    .sort((one, other) => (one.label < other.label ? -1 : 1));
}
