import { readFileSync } from 'node:fs';
import type { BaggageAllowance, CardBrand, FareCondition, Money, PassengerType } from '@eticket/contracts';
import { DateTime } from 'luxon';
import { SPANISH_CITY_NAMES } from '../airports/city-names.es.data.js';
import { SPANISH_TAX_NAMES } from '../offers/tax-names.es.data.js';
import { LANGUAGES, type Language } from './language.js';

type Tree = { readonly [key: string]: string | Tree };

export const CARD_NAMES: Readonly<Record<CardBrand, string>> = {
  visa: 'Visa',
  mastercard: 'Mastercard',
  amex: 'American Express',
};

/** The pages' words and forms in one language. */
export class Words {
  private readonly tree: Tree;

  constructor(readonly language: Language) {
    const file = new URL(`../../views/words/${language}.json`, import.meta.url);
    this.tree = JSON.parse(readFileSync(file, 'utf8')) as Tree;
  }

  /** The text at a path such as `search.title`, its `{names}` filled in. @throws RangeError where there is none. */
  t(path: string, values: Readonly<Record<string, string | number>> = {}): string {
    const text = this.find(path);
    if (text === undefined) throw new RangeError(`no words for ${path}`);
    return text.replace(/\{(\w+)\}/g, (all, name: string) => String(values[name] ?? all));
  }

  /** Undefined where there is none. */
  find(path: string): string | undefined {
    let at: string | Tree | undefined = this.tree;
    for (const step of path.split('.')) {
      at = typeof at === 'object' && Object.hasOwn(at, step) ? at[step] : undefined;
    }
    return typeof at === 'string' ? at : undefined;
  }

  /** As it is called in this language. */
  city(name: string): string {
    return this.language === 'es' ? (SPANISH_CITY_NAMES[name] ?? name) : name;
  }

  /** The name of a tax in this language; its code is the same in all. */
  tax(name: string): string {
    return this.language === 'es' ? (SPANISH_TAX_NAMES[name] ?? name) : name;
  }

  /**
   * `EUR 1,234.50`, `1.234,50 EUR` on one line: the code, because a $ is many currencies; the decimals as they are on the
   * wire.
   */
  money({ amount, currency }: Money): string {
    const [whole = '', decimals] = amount.split('.');
    const [group, point] = this.language === 'es' ? ['.', ','] : [',', '.'];
    const grouped = whole.replace(/\B(?=(\d{3})+$)/g, group);
    const number = decimals === undefined ? grouped : `${grouped}${point}${decimals}`;
    return this.language === 'es' ? `${number}\u00a0${currency}` : `${currency}\u00a0${number}`;
  }

  /** Of a time with its place's offset, in that place: never in the zone of this process. */
  placeTime(iso: string): { readonly time: string; readonly date: string } {
    const at = DateTime.fromISO(iso, { setZone: true, locale: this.language });
    return { time: at.toFormat('HH:mm'), date: at.toFormat('ccc d LLL yyyy') };
  }

  /** `14 Mar 2027` */
  date(iso: string): string {
    return DateTime.fromISO(iso, { zone: 'utc', locale: this.language }).toFormat('d LLL yyyy');
  }

  /** `30 Nov 2026, 18:02 UTC` */
  utc(iso: string): string {
    return DateTime.fromISO(iso, { zone: 'utc', locale: this.language }).toFormat("d LLL yyyy, HH:mm 'UTC'");
  }

  /** `18:02 UTC, 30 Nov 2026` */
  utcTime(iso: string): string {
    return DateTime.fromISO(iso, { zone: 'utc', locale: this.language }).toFormat("HH:mm 'UTC', d LLL yyyy");
  }

  /** `9 h 45 min` */
  minutes(minutes: number): string {
    const hours = Math.floor(minutes / 60);
    const rest = minutes % 60;
    if (hours === 0) return `${rest}\u00a0min`;
    return rest === 0 ? `${hours}\u00a0h` : `${hours}\u00a0h ${rest}\u00a0min`;
  }

  stops(count: number): string {
    return this.t(`stops.${count === 0 ? 'none' : count === 1 ? 'one' : 'many'}`, { count });
  }

  baggage({ carryOnPieces, carryOnKg, checkedPieces, checkedKg }: BaggageAllowance): string {
    return `${this.bags(carryOnPieces, carryOnKg, 'cabin')}, ${this.bags(checkedPieces, checkedKg, 'checked')}`;
  }

  bags(count: number, kg: number, what: 'cabin' | 'checked'): string {
    const form = count === 0 ? 'none' : count === 1 ? 'one' : 'many';
    return this.t(`bag.${what}.${form}`, { count, kg });
  }

  condition(what: 'changes' | 'refund', condition: FareCondition): string {
    const words = { what: this.t(`condition.${what}`) };
    const amount = condition.penalty === undefined ? '' : this.money(condition.penalty);
    return this.t(`condition.${formOf(condition)}`, { ...words, amount });
  }

  /** `not refundable`: what a traveller compares fares by. */
  refundGist(condition: FareCondition): string {
    return this.t(`gist.${formOf(condition)}`);
  }

  /** `2 adults, 1 infant` */
  travellers(types: readonly PassengerType[]): string {
    return [...new Set(types)]
      .map((type) => [type, types.filter((each) => each === type).length] as const)
      .map(([type, count]) => this.t(`travellers.${type}.${count === 1 ? 'one' : 'many'}`, { count }))
      .join(', ');
  }
}

function formOf({ allowed, penalty }: FareCondition): 'never' | 'free' | 'penalty' {
  if (!allowed) return 'never';
  return penalty === undefined || /^[0.]+$/.test(penalty.amount) ? 'free' : 'penalty';
}

/** Read once, when the service starts. */
export const WORDS = Object.fromEntries(LANGUAGES.map((language) => [language, new Words(language)])) as Readonly<
  Record<Language, Words>
>;
