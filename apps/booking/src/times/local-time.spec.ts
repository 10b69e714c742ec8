import fc from 'fast-check';
import { AIRPORTS } from '../airports/airports.js';
import {
  addDays,
  dayChange,
  inZone,
  isCalendarDate,
  resolveWallTime,
  toIsoDuration,
  toOffsetTime,
} from './local-time.js';

const at = (date: string, hour: number, minute: number, zone: string) => {
  const { at: time, kind } = resolveWallTime(date, hour * 60 + minute, zone);
  return [toOffsetTime(time), kind];
};

describe('A wall-clock time', () => {
  it('has the offset of its place and day', () => {
    expect(at('2027-01-14', 11, 5, 'Europe/Madrid')).toEqual(['2027-01-14T11:05:00+01:00', 'unique']);
    expect(at('2027-07-14', 11, 5, 'Europe/Madrid')).toEqual(['2027-07-14T11:05:00+02:00', 'unique']);
    expect(at('2027-01-14', 11, 5, 'Asia/Kathmandu')).toEqual(['2027-01-14T11:05:00+05:45', 'unique']);
    expect(at('2027-01-14', 23, 55, 'Pacific/Auckland')).toEqual(['2027-01-14T23:55:00+13:00', 'unique']);
  });

  it('shows an offset of zero as +00:00', () => {
    expect(at('2027-01-14', 7, 0, 'Europe/London')).toEqual(['2027-01-14T07:00:00+00:00', 'unique']);
    expect(at('2027-01-14', 7, 0, 'UTC')).toEqual(['2027-01-14T07:00:00+00:00', 'unique']);
  });

  it.each([
    ['Europe/Madrid', '2027-03-28', 2, 30, '2027-03-28T03:30:00+02:00'],
    ['America/New_York', '2027-03-14', 2, 0, '2027-03-14T03:00:00-04:00'],
    // Clocks that are put forward at midnight, and by half an hour.
    ['Africa/Cairo', '2027-04-30', 0, 15, '2027-04-30T01:15:00+03:00'],
    ['Australia/Lord_Howe', '2027-10-03', 2, 15, '2027-10-03T02:45:00+11:00'],
  ])('that %s skips on %s moves forward by the gap', (zone, date, hour, minute, expected) => {
    expect(at(date, hour, minute, zone)).toEqual([expected, 'gap']);
  });

  it.each([
    ['Europe/Madrid', '2027-10-31', 2, 30, '2027-10-31T02:30:00+02:00'],
    ['America/New_York', '2027-11-07', 1, 59, '2027-11-07T01:59:00-04:00'],
    ['Australia/Lord_Howe', '2027-04-04', 1, 45, '2027-04-04T01:45:00+11:00'],
  ])('that %s has twice on %s is the earlier one', (zone, date, hour, minute, expected) => {
    expect(at(date, hour, minute, zone)).toEqual([expected, 'overlap']);
  });

  it('is what the clocks there show, on every day of every airport', () => {
    const zones = [...new Set([...AIRPORTS.values()].map((airport) => airport.timeZone))];
    const day = fc.integer({ min: 0, max: 730 }).map((days) => addDays('2026-11-30', days));
    fc.assert(
      fc.property(fc.constantFrom(...zones), day, fc.integer({ min: 0, max: 1439 }), (zone, date, minute) => {
        const { at: time, kind } = resolveWallTime(date, minute, zone);
        const shown = time.hour * 60 + time.minute;
        if (kind === 'gap') expect([30, 60]).toContain((shown - minute + 1440) % 1440);
        else expect([time.toISODate(), shown]).toEqual([date, minute]);
      }),
    );
  });

  it('needs a date and a zone that exist', () => {
    expect(() => resolveWallTime('2027-02-30', 0, 'Europe/Madrid')).toThrow(RangeError);
    expect(() => resolveWallTime('2027-02-28', 0, 'Europe/Atlantis')).toThrow(RangeError);
  });
});

describe('An arrival', () => {
  const change = (departure: string, from: string, arrival: string, to: string) =>
    dayChange(inZone(Date.parse(departure), from), inZone(Date.parse(arrival), to));

  it('may be a day later, two days later, or the day before', () => {
    expect(change('2027-03-04T21:00:00-05:00', 'America/New_York', '2027-03-05T10:10:00+01:00', 'Europe/Madrid')).toBe(
      1,
    );
    expect(
      change('2027-02-08T21:45:00-10:00', 'Pacific/Honolulu', '2027-02-10T06:15:00+13:00', 'Pacific/Auckland'),
    ).toBe(2);
    expect(
      change('2027-02-08T01:00:00+13:00', 'Pacific/Auckland', '2027-02-07T12:00:00-10:00', 'Pacific/Honolulu'),
    ).toBe(-1);
  });
});

describe('Dates and durations', () => {
  it.each(['2027-02-29', '2027-13-01', '2027-1-1', '20270101', 'tomorrow', '', '2027-01-01T00:00'])(
    '%j is no date',
    (text) => {
      expect(isCalendarDate(text)).toBe(false);
    },
  );

  it('counts days over months and leap days', () => {
    expect(addDays('2028-02-28', 1)).toBe('2028-02-29');
    expect(addDays('2026-12-31', 1)).toBe('2027-01-01');
  });

  it.each([
    [0, 'PT0M'],
    [45, 'PT45M'],
    [120, 'PT2H'],
    [1465, 'PT24H25M'],
  ])('%i minutes are %s', (minutes, text) => expect(toIsoDuration(minutes)).toBe(text));
});
