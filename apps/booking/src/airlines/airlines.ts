import { AIRLINE_TABLE } from './airlines.data.js';

/** An airline of the timetable. */
export interface KnownAirline {
  /** IATA designator, two characters. */
  readonly iataCode: string;
  readonly name: string;
  /** The three digits that its ticket numbers begin with. */
  readonly accountingCode: string;
  /** ISO 3166-1 alpha-2. */
  readonly countryCode: string;
  readonly hubs: readonly string[];
  /** Of the hubs, those without long-haul flights. */
  readonly smallHubs: ReadonlySet<string>;
  readonly longestKm: number;
  readonly shortestKm: number;
  /** Flies some of the short routes in this airline's name. */
  readonly regionalOperator: { readonly iataCode: string; readonly name: string } | undefined;
}

function airlineOf(row: string): KnownAirline {
  const [iataCode, name, accountingCode, countryCode, hubs, longest, shortest, operator] = row.split('|');
  if (!iataCode || !name || !accountingCode || !countryCode || !hubs || operator === undefined) {
    throw new Error(`Unreadable airline: ${row}`);
  }
  const codes = hubs.split(' ');
  return {
    iataCode,
    name,
    accountingCode,
    countryCode,
    hubs: codes.map((code) => code.replace('~', '')),
    smallHubs: new Set(codes.filter((code) => code.startsWith('~')).map((code) => code.slice(1))),
    longestKm: Number(longest),
    shortestKm: Number(shortest),
    regionalOperator: operator === '' ? undefined : { iataCode: operator.slice(0, 2), name: operator.slice(3) },
  };
}

/** Every airline of the timetable by its IATA designator. */
export const AIRLINES: ReadonlyMap<string, KnownAirline> = new Map(
  AIRLINE_TABLE.trim()
    .split('\n')
    .map(airlineOf)
    .map((airline) => [airline.iataCode, airline]),
);
