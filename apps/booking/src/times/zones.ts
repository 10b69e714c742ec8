import { IANAZone } from 'luxon';

const DAY_MS = 86_400_000;
/** Days remembered of a zone, 16 bytes each: bookings are made a year ahead. */
const DAYS = 1_000;

/**
 * A zone that remembers its offset at the beginning of each day (UTC), because `Intl` takes its time to say it. A day that
 * begins and ends with one offset has it throughout, as no place changes its clocks twice within a day; where it does
 * not, `Intl` is asked for the instant itself.
 */
class RememberingZone extends IANAZone {
  private readonly offsets = new Map<number, number>();

  override offset(epochMs: number): number {
    const day = Math.floor(epochMs / DAY_MS);
    const offset = this.offsetAtStartOf(day);
    return offset === this.offsetAtStartOf(day + 1) ? offset : super.offset(epochMs);
  }

  private offsetAtStartOf(day: number): number {
    const known = this.offsets.get(day);
    if (known !== undefined) return known;
    const offset = super.offset(day * DAY_MS);
    if (this.offsets.size >= DAYS) this.offsets.clear();
    this.offsets.set(day, offset);
    return offset;
  }
}

const zones = new Map<string, RememberingZone>();

/** The zone of this name, for names from our own tables: each is kept. */
export function zoneOf(name: string): IANAZone {
  const zone = zones.get(name) ?? new RememberingZone(name);
  if (zone.isValid) zones.set(name, zone);
  return zone;
}
