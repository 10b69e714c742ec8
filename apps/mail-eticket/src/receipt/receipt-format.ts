import type { Money } from '@eticket/contracts';
import currencyCodes from 'currency-codes';

/** Prints money, dates and durations in one locale; knows no time zone but the one written in the event. */
class LocaleFormat {
  readonly #locale: string;
  readonly #money = new Map<string, Intl.NumberFormat>();
  readonly #date: Intl.DateTimeFormat;
  readonly #shortDate: Intl.DateTimeFormat;

  constructor(locale: string) {
    this.#locale = locale;
    // The calendar date is cut from the event's own text; UTC on both sides prints it unchanged wherever this runs.
    const date = {
      timeZone: 'UTC',
      calendar: 'gregory',
      numberingSystem: 'latn',
      day: 'numeric',
      year: 'numeric',
    } as const;
    this.#date = new Intl.DateTimeFormat(locale, { ...date, month: 'short', weekday: 'short' });
    this.#shortDate = new Intl.DateTimeFormat(locale, { ...date, month: 'short' });
  }

  /**
   * With the ISO code rather than a sign, since `$` alone names five currencies here. Decimals by ISO 4217 and never
   * fewer than the event carries: Intl's own idea (HUF 0, IDR 0) is about cash, pitfall P18.
   */
  money({ amount, currency }: Money): string {
    const carried = amount.split('.')[1]?.length ?? 0;
    const digits = Math.max(currencyCodes.code(currency)?.digits ?? 2, carried);
    const key = `${currency} ${digits}`;
    let format = this.#money.get(key);
    if (!format) {
      format = new Intl.NumberFormat(this.#locale, {
        style: 'currency',
        currency,
        currencyDisplay: 'code',
        numberingSystem: 'latn',
        minimumFractionDigits: digits,
        maximumFractionDigits: digits,
      });
      this.#money.set(key, format);
    }
    // The decimal string is formatted as such (ES2023); through a float large amounts would lose units.
    return steadySpaces(format.format(amount as Intl.StringNumericLiteral));
  }

  /** `Sun, 14 Mar 2027` of an ISO 8601 time, at the place whose offset it carries. */
  date(localTime: string): string {
    return steadySpaces(this.#date.format(calendarDay(localTime)));
  }

  /** `14 Mar 2027`. */
  shortDate(localTime: string): string {
    return steadySpaces(this.#shortDate.format(calendarDay(localTime)));
  }

  /** `07:15`, always 24 hours as on every ticket. */
  time(localTime: string): string {
    return localTime.slice(11, 16);
  }
}

export type ReceiptFormat = LocaleFormat;

const formats = new Map<string, LocaleFormat>();

/** The formats of a locale. Kept: to make Intl's objects takes ten times as long as to print a receipt with them. */
export function receiptFormat(locale: string): ReceiptFormat {
  let format = formats.get(locale);
  if (!format) {
    format = new LocaleFormat(locale);
    formats.set(locale, format);
  }
  return format;
}

/** Whole calendar days between two local dates: `+1`, `-1` across the date line; empty on the same day. */
export function dayChange(departingAt: string, arrivingAt: string): string {
  const days = Math.round((calendarDay(arrivingAt) - calendarDay(departingAt)) / 86_400_000);
  if (days === 0) return '';
  return days > 0 ? `+${days}` : String(days);
}

/** `2 h 35 min` of an ISO 8601 duration of days, hours and minutes. The units are SI's, the same in every language. */
export function durationText(duration: string): string {
  const part = (unit: string): number => Number(new RegExp(`(\\d+)${unit}`).exec(duration)?.[1] ?? 0);
  const hours = part('D') * 24 + part('H');
  const minutes = part('M');
  if (hours === 0) return `${minutes} min`;
  return minutes === 0 ? `${hours} h` : `${hours} h ${minutes} min`;
}

/** `125-2106312810`: airline accounting code, then form and serial number. */
export function ticketNumberText(ticketNumber: string): string {
  return `${ticketNumber.slice(0, 3)}-${ticketNumber.slice(3)}`;
}

function calendarDay(localTime: string): number {
  return Date.UTC(Number(localTime.slice(0, 4)), Number(localTime.slice(5, 7)) - 1, Number(localTime.slice(8, 10)));
}

/**
 * Versions of ICU differ in which thin or unbreakable space they print, mail clients show some of them as boxes, and
 * no search for `EUR 412.50` finds them. Where a line must not break the template says so.
 */
function steadySpaces(text: string): string {
  return text.replace(/[\u00a0\u2009\u202f]/g, ' ');
}
