import type { BaggageAllowance, Cabin, CardBrand, FareCondition, Money, PassengerType } from '@eticket/contracts';
import { DateTime } from 'luxon';

/** The pages' words and forms, English. */

/** `EUR 1,234.50`: the code, because a $ is many currencies; the decimals as they are on the wire. */
export function moneyText({ amount, currency }: Money): string {
  const [whole = '', decimals] = amount.split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return `${currency} ${decimals === undefined ? grouped : `${grouped}.${decimals}`}`;
}

/** Of a time with its place's offset, in that place: never in the zone of this process. */
export function placeTime(iso: string): { readonly time: string; readonly date: string } {
  const at = DateTime.fromISO(iso, { setZone: true, locale: 'en' });
  return { time: at.toFormat('HH:mm'), date: at.toFormat('ccc d LLL yyyy') };
}

/** `30 Nov 2026, 18:02 UTC` */
export function utcText(iso: string): string {
  return DateTime.fromISO(iso, { zone: 'utc', locale: 'en' }).toFormat("d LLL yyyy, HH:mm 'UTC'");
}

/** `18:02 UTC, 30 Nov 2026` */
export function utcTimeText(iso: string): string {
  return DateTime.fromISO(iso, { zone: 'utc', locale: 'en' }).toFormat("HH:mm 'UTC', d LLL yyyy");
}

/** `9 h 45 min` */
export function minutesText(minutes: number): string {
  const hours = Math.floor(minutes / 60);
  const rest = minutes % 60;
  if (hours === 0) return `${rest} min`;
  return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`;
}

export const CABIN_WORDS: Readonly<Record<Cabin, string>> = {
  economy: 'Economy',
  premium_economy: 'Premium economy',
  business: 'Business',
  first: 'First',
};

export const PASSENGER_WORDS: Readonly<Record<PassengerType, string>> = {
  adult: 'Adult',
  child: 'Child',
  infant: 'Infant',
};

export const CARD_WORDS: Readonly<Record<CardBrand, string>> = {
  visa: 'Visa',
  mastercard: 'Mastercard',
  amex: 'American Express',
};

export function baggageText(allowance: BaggageAllowance): string {
  const bags = (pieces: number, kg: number, what: string): string =>
    pieces === 0 ? `no ${what}` : `${pieces} ${what}${pieces === 1 ? '' : 's'} of up to ${kg} kg`;
  const { carryOnPieces, carryOnKg, checkedPieces, checkedKg } = allowance;
  return `${bags(carryOnPieces, carryOnKg, 'cabin bag')}, ${bags(checkedPieces, checkedKg, 'checked bag')}`;
}

export function conditionText(what: string, condition: FareCondition): string {
  if (!condition.allowed) return `${what} before departure: not possible`;
  const free = condition.penalty === undefined || /^[0.]+$/.test(condition.penalty.amount);
  if (free) return `${what} before departure: free of charge`;
  return `${what} before departure: ${moneyText(condition.penalty)} a passenger`;
}
