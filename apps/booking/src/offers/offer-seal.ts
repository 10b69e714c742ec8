import { CABINS } from '@eticket/contracts';
import { currencyOf } from '../money/currency.js';
import { fromBase64Url, keyedDigest, sameDigest } from '../security/keyed-digest.js';
import { addDays } from '../times/local-time.js';
import type { FlightKey } from '../timetable/flight.js';
import { FARE_BRANDS } from './fare-brands.js';
import type { OfferSelection } from './offer.js';

/** What an offer's id says. */
export interface SealedOffer {
  readonly selection: OfferSelection;
  /** Minor units, as they were when the offer was made. */
  readonly totalMinor: bigint;
}

const PREFIX = 'off_';
const FORMAT = 1;
const SEAL_BYTES = 16;
/** Two slices of two connections, and more than there are. */
const LONGEST_BODY = 64;
const FIRST_DATE = '2020-01-01';
const WINDOWS_MS = 300_000;

/**
 * The id of an offer: everything that the offer follows from, sealed with a keyed digest, so that no offer is stored and
 * none can be made up. At most 88 characters (two connections), short enough for a path segment (Fastify: 100).
 *
 * Layout, big-endian: format 1, window 4, cabin and brand 1, counts 3, currency 2, total 8; then for each slice the
 * number of flights 1, airline 2, first airport 2, and for each flight airport 2, frequency 1, day 2; digest 16.
 */
export function sealOffer({ selection, totalMinor }: SealedOffer, key: Buffer): string {
  const bytes = Buffer.alloc(LONGEST_BODY);
  let end = bytes.writeUInt8(FORMAT);
  const put = (value: number, width: number): void => {
    end = bytes.writeUIntBE(value, end, width);
  };
  const { counts, cabin, brand, currency, madeAt } = selection;
  put(madeAt.getTime() / WINDOWS_MS, 4);
  put(CABINS.indexOf(cabin) * 16 + FARE_BRANDS.indexOf(brand), 1);
  for (const count of [counts.adults, counts.children, counts.infants]) put(count, 1);
  put(letters(currency.code), 2);
  put(Number(totalMinor >> 32n), 4);
  put(Number(totalMinor & 0xffffffffn), 4);
  for (const flights of selection.slices) {
    const first = flights[0] as FlightKey;
    put(flights.length, 1);
    put(letters(first.airline), 2);
    put(letters(first.origin), 2);
    for (const { destination, frequency, date } of flights) {
      put(letters(destination), 2);
      put(frequency, 1);
      put((Date.parse(date) - Date.parse(FIRST_DATE)) / 86_400_000, 2);
    }
  }
  const body = bytes.subarray(0, end);
  return PREFIX + Buffer.concat([body, sealOf(body, key)]).toString('base64url');
}

/** What the id says, or undefined when this service did not make it. */
export function openOffer(id: string, key: Buffer): SealedOffer | undefined {
  const bytes = id.startsWith(PREFIX) ? fromBase64Url(id.slice(PREFIX.length)) : undefined;
  if (!bytes || bytes.length <= SEAL_BYTES) return undefined;
  const body = bytes.subarray(0, -SEAL_BYTES);
  if (!sameDigest(bytes.subarray(-SEAL_BYTES), sealOf(body, key)) || body[0] !== FORMAT) return undefined;
  return read(body);
}

function sealOf(body: Buffer, key: Buffer): Buffer {
  return keyedDigest(key, body).subarray(0, SEAL_BYTES);
}

/** Only reads what {@link sealOffer} wrote: the seal was checked before. */
function read(body: Buffer): SealedOffer {
  let at = 1;
  const take = (width: number): number => {
    at += width;
    return body.readUIntBE(at - width, width);
  };
  const madeAt = new Date(take(4) * WINDOWS_MS);
  const kinds = take(1);
  const counts = { adults: take(1), children: take(1), infants: take(1) };
  const currency = currencyOf(code(take(2), 3));
  const totalMinor = (BigInt(take(4)) << 32n) + BigInt(take(4));
  const slices: FlightKey[][] = [];
  while (at < body.length) {
    const flights: FlightKey[] = [];
    const count = take(1);
    const airline = code(take(2), 2);
    let origin = code(take(2), 3);
    for (let index = 0; index < count; index++) {
      const destination = code(take(2), 3);
      flights.push({ airline, origin, destination, frequency: take(1), date: addDays(FIRST_DATE, take(2)) });
      origin = destination;
    }
    slices.push(flights);
  }
  const cabin = CABINS[kinds >> 4] ?? 'economy';
  const brand = FARE_BRANDS[kinds & 15] ?? 'light';
  return { selection: { madeAt, slices, cabin, brand, counts, currency }, totalMinor };
}

/** Up to three letters or digits as a number below 36³, which two bytes hold. */
function letters(text: string): number {
  return Number.parseInt(text, 36);
}

function code(value: number, length: number): string {
  return value.toString(36).toUpperCase().padStart(length, '0');
}
