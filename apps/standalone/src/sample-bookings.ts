import { readFile } from 'node:fs/promises';

interface SampleEntry {
  readonly name: string;
  readonly search: {
    readonly origin: string;
    readonly destination: string;
    readonly departureInDays: number;
    readonly returnInDays?: number;
    readonly adults: number;
    readonly children?: number;
    readonly infants?: number;
    readonly cabin: string;
    readonly currency: string;
  };
  readonly passengers: readonly {
    readonly type: string;
    readonly title: string;
    readonly givenName: string;
    readonly familyName: string;
    readonly bornOn?: string;
    readonly bornInYearsBeforeDeparture?: number;
    readonly infantOf?: number;
  }[];
  readonly contact: { readonly email: string; readonly phone: string };
  readonly payment: { readonly token: string };
  readonly locale: string;
  readonly expect?: { readonly status: number; readonly code: string };
}

export interface SamplePassenger {
  readonly type: string;
  readonly title: string;
  readonly givenName: string;
  readonly familyName: string;
  readonly bornOn: string;
  readonly infantOf?: number;
}

/** A booking to try things with, its dates worked out for a day. */
export interface SampleBooking {
  readonly name: string;
  /** Query of `GET /api/offers`. */
  readonly search: Readonly<Record<string, string>>;
  readonly contact: { readonly email: string; readonly phone: string };
  readonly passengers: readonly SamplePassenger[];
  readonly expected: { readonly status: number; readonly code?: string };
  /** Body of `POST /api/bookings` for an offer of that search. */
  body(offerId: string): Readonly<Record<string, unknown>>;
}

/** Beside `src` and `dist`, so that it is found from either. */
const SAMPLES = new URL('../samples/bookings.json', import.meta.url);

/**
 * The sample bookings of `samples/bookings.json`. Their days count from `today` (UTC), ages in years from the day of
 * departure.
 */
export async function sampleBookings(today: Date = new Date()): Promise<readonly SampleBooking[]> {
  const entries = JSON.parse(await readFile(SAMPLES, 'utf8')) as readonly SampleEntry[];
  return entries.map((entry) => sampleBooking(entry, today));
}

function sampleBooking(entry: SampleEntry, today: Date): SampleBooking {
  const { departureInDays, returnInDays, ...search } = entry.search;
  const departureDate = daysAfter(today, departureInDays);
  const passengers = entry.passengers.map(({ bornInYearsBeforeDeparture: years, bornOn, ...passenger }) => ({
    ...passenger,
    bornOn: bornOn ?? yearsBefore(departureDate, years ?? 30),
  }));
  return {
    name: entry.name,
    search: Object.fromEntries(
      Object.entries({
        ...search,
        departureDate,
        ...(returnInDays === undefined ? {} : { returnDate: daysAfter(today, returnInDays) }),
      }).map(([name, value]) => [name, String(value)]),
    ),
    contact: entry.contact,
    passengers,
    expected: entry.expect ?? { status: 201 },
    body: (offerId) => ({ offerId, passengers, contact: entry.contact, payment: entry.payment, locale: entry.locale }),
  };
}

/** `YYYY-MM-DD`, so many days after the UTC date of `today`. */
export function daysAfter(today: Date, days: number): string {
  return isoDate(Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate() + days));
}

/**
 * A birthday that makes someone exactly so many years old on the day of departure, and still so on a return within
 * the year. Of February 29 JavaScript makes March 1 in other years, which would be a day too young.
 */
function yearsBefore(date: string, years: number): string {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number);
  const born = new Date(Date.UTC(year - years, month - 1, day));
  return born.getUTCMonth() === month - 1 ? isoDate(born.getTime()) : isoDate(Date.UTC(year - years, month, 0));
}

function isoDate(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
