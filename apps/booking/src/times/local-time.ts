import { DateTime } from 'luxon';
import { zoneOf } from './zones.js';

const DAY_MS = 86_400_000;

/**
 * How a wall-clock time meets its zone: `unique` as a rule; `gap` when clocks were put forward over it, so that it never
 * shows; `overlap` when they were put back over it, so that it shows twice.
 */
export type WallTimeKind = 'unique' | 'gap' | 'overlap';

export interface ResolvedWallTime {
  readonly at: DateTime<true>;
  readonly kind: WallTimeKind;
}

/** Minutes after midnight, 0 to 1439. */
export type MinuteOfDay = number;

/**
 * The instant at which clocks in `zone` show `minuteOfDay` on `date` (`YYYY-MM-DD`), in ms since 1970.
 *
 * A time in a gap moves forward by the gap's length (01:30 becomes 02:30: the flight keeps its distance to what left
 * before the change); of an overlap's two instants the earlier one is meant. Luxon alone does the same for most
 * gaps but does not promise which side of an overlap it takes.
 * @throws RangeError when the date or the zone does not exist.
 */
export function instantOfWallTime(date: string, minuteOfDay: MinuteOfDay, zone: string): number {
  const { offsets, instants, wall } = readingsOf(date, minuteOfDay, zone);
  // In a gap: read the clock as if it had not been put forward yet.
  return instants[0] ?? wall - Math.min(...offsets) * 60_000;
}

/** As {@link instantOfWallTime}, and how the time meets its zone. */
export function resolveWallTime(date: string, minuteOfDay: MinuteOfDay, zone: string): ResolvedWallTime {
  const [earlier, later] = readingsOf(date, minuteOfDay, zone).instants;
  const kind: WallTimeKind = earlier === undefined ? 'gap' : later === undefined ? 'unique' : 'overlap';
  return { at: inZone(instantOfWallTime(date, minuteOfDay, zone), zone), kind };
}

/** The instants, in their order, at which the clocks show the time; none in a gap. */
function readingsOf(date: string, minuteOfDay: MinuteOfDay, zone: string) {
  const midnight = midnightOf(date);
  const timeZone = zoneOf(zone);
  if (midnight === undefined || !timeZone.isValid) throw new RangeError(`No such date or zone: ${date} in ${zone}`);
  const wall = midnight + minuteOfDay * 60_000;
  // An offset in force a day around the wall time is the right one exactly when it is in force at the instant it gives.
  const before = timeZone.offset(wall - DAY_MS);
  const after = timeZone.offset(wall + DAY_MS);
  // As on nearly every day. A search asks for hundreds.
  if (before === after && timeZone.offset(wall - before * 60_000) === before)
    return { offsets: [before], instants: [wall - before * 60_000], wall };
  const offsets = before === after ? [before] : [before, after];
  const instants = offsets
    .map((offset) => wall - offset * 60_000)
    .filter((instant) => wall - instant === timeZone.offset(instant) * 60_000)
    .sort((one, other) => one - other);
  return { offsets, instants, wall };
}

/** The date, `YYYY-MM-DD`, that calendars in `zone` show at an instant. */
export function dateAt(epochMs: number, zone: string): string {
  return new Date(epochMs + zoneOf(zone).offset(epochMs) * 60_000).toISOString().slice(0, 10);
}

/** The instant as clocks in `zone` show it. */
export function inZone(epochMs: number, zone: string): DateTime<true> {
  const at = DateTime.fromMillis(epochMs, { zone: zoneOf(zone) });
  if (!at.isValid) throw new RangeError(`No such zone: ${zone}`);
  return at;
}

/** `2027-03-14T07:15:00+01:00`: the wire form, with the place's own offset, also where that is zero. */
export function toOffsetTime(at: DateTime<true>): string {
  return at.toISO({ suppressMilliseconds: true, includeOffset: true }).replace(/Z$/, '+00:00');
}

/** `PT2H25M` */
export function toIsoDuration(minutes: number): string {
  const hours = Math.floor(minutes / 60);
  const rest = minutes % 60;
  return `PT${hours > 0 ? `${hours}H` : ''}${rest > 0 || hours === 0 ? `${rest}M` : ''}`;
}

/** Calendar days from one local date to another, times left aside: the “+1” beside an arrival. */
export function dayChange(from: DateTime<true>, to: DateTime<true>): number {
  return Math.round((Date.parse(to.toISODate()) - Date.parse(from.toISODate())) / 86_400_000);
}

/** Whether this is a date of the calendar written `YYYY-MM-DD`. */
export function isCalendarDate(value: string): boolean {
  return midnightOf(value) !== undefined;
}

/** A search asks for the same few dates hundreds of times. */
const midnights = new Map<string, number>();
const MIDNIGHTS = 1_000;

/** When the date begins in UTC; undefined when the calendar has no such date. */
function midnightOf(date: string): number | undefined {
  const known = midnights.get(date);
  if (known !== undefined) return known;
  const midnight = readMidnight(date);
  if (midnights.size >= MIDNIGHTS) midnights.clear();
  if (midnight !== undefined) midnights.set(date, midnight);
  return midnight;
}

function readMidnight(date: string): number | undefined {
  const midnight = /^\d{4}-\d{2}-\d{2}$/.test(date) ? Date.parse(`${date}T00:00:00Z`) : NaN;
  // V8 reads 30 February as 2 March: a month that is longer than the date says has another last day.
  return new Date(midnight).getUTCDate() === Number(date.slice(8)) ? midnight : undefined;
}

/** `YYYY-MM-DD`, `days` later. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);
}

/** Today's date in `zone`. */
export function todayIn(zone: string, now: Date): string {
  return inZone(now.getTime(), zone).toISODate();
}
