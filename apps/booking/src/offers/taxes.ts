import type { PassengerType } from '@eticket/contracts';
import type { KnownAirport } from '../airports/airports.js';
import { fromEuroCents, type Amount } from '../money/money.js';
import type { Currency } from '../money/currency.js';
import { TAX_TABLE } from './taxes.data.js';

/** One tax, fee or charge of one passenger. */
export interface Tax {
  /** Two characters, as the ticket prints them. */
  readonly code: string;
  readonly name: string;
  readonly amount: Amount;
}

/** The ends of one direction of the journey. */
export interface JourneyEnds {
  readonly origin: KnownAirport;
  readonly destination: KnownAirport;
  readonly distanceKm: number;
}

interface TaxRule {
  readonly code: string;
  readonly name: string;
  readonly at: 'departure' | 'arrival';
  readonly abroadCents: number;
  readonly homeCents: number;
  readonly passengerTypes: ReadonlySet<PassengerType>;
}

const TYPE_OF_LETTER: Readonly<Record<string, PassengerType>> = { A: 'adult', C: 'child', I: 'infant' };

function rulesByCountry(table: string): ReadonlyMap<string, readonly TaxRule[]> {
  const rules = new Map<string, TaxRule[]>();
  for (const row of table.trim().split('\n')) {
    const [country = '', code = '', name = '', at, abroad, home, letters = ''] = row.split('|');
    if (at !== 'departure' && at !== 'arrival') throw new Error(`Unreadable tax: ${row}`);
    const types = [...letters].flatMap((letter) => TYPE_OF_LETTER[letter] ?? []);
    const ofCountry = rules.get(country) ?? [];
    ofCountry.push({
      code,
      name,
      at,
      abroadCents: Number(abroad),
      homeCents: Number(home),
      passengerTypes: new Set(types),
    });
    rules.set(country, ofCountry);
  }
  return rules;
}

const RULES = rulesByCountry(TAX_TABLE);

/** Where a country has no rule of its own: one charge under the country's code. */
function rulesOf(country: string): readonly TaxRule[] {
  return (
    RULES.get(country) ?? [
      {
        code: country,
        name: 'Passenger service charge',
        at: 'departure',
        abroadCents: 1650,
        homeCents: 720,
        passengerTypes: new Set<PassengerType>(['adult', 'child']),
      },
    ]
  );
}

function surchargeCents(distanceKm: number): number {
  if (distanceKm <= 1500) return 1200;
  return distanceKm <= 4500 ? 2800 : 9500;
}

/** What one passenger pays over the base fare, the same codes of several directions added up, in order of codes. */
export function taxesOf(type: PassengerType, journey: readonly JourneyEnds[], currency: Currency): readonly Tax[] {
  const cents = new Map<string, { readonly name: string; readonly cents: number }>();
  const charge = (code: string, name: string, more: number): void => {
    if (more > 0) cents.set(code, { name: cents.get(code)?.name ?? name, cents: (cents.get(code)?.cents ?? 0) + more });
  };
  for (const { origin, destination, distanceKm } of journey) {
    const home = origin.countryCode === destination.countryCode;
    for (const [at, airport] of [
      ['departure', origin],
      ['arrival', destination],
    ] as const) {
      for (const rule of rulesOf(airport.countryCode)) {
        if (rule.at !== at || !rule.passengerTypes.has(type)) continue;
        charge(rule.code, rule.name, home ? rule.homeCents : rule.abroadCents);
      }
    }
    if (type !== 'infant') charge('YQ', 'Carrier surcharge', surchargeCents(distanceKm));
  }
  return [...cents]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([code, tax]) => ({ code, name: tax.name, amount: fromEuroCents(BigInt(tax.cents), currency) }))
    .filter((tax) => tax.amount.minor > 0n);
}
