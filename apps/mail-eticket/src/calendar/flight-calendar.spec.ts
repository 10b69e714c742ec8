import ICAL from 'ical.js';
import {
  BOOKING_SHAPE_NAMES,
  cancelledEvent,
  eticketEvent,
  eticketEventWithIds,
  localNameIn,
} from '../testing/eticket-fixtures.js';
import { mailOccasion } from '../receipt/mail-occasion.js';
import type { EticketMailEvent } from '../receipt/mail-occasion.js';
import { flightCalendar } from './flight-calendar.js';

const calendarOf = (event: EticketMailEvent, domain = 'meridian.example') =>
  flightCalendar(mailOccasion(event), domain);

const read = (content: string) => {
  const calendar = new ICAL.Component(ICAL.parse(content) as unknown[]);
  const events = calendar.getAllSubcomponents('vevent').map((component) => new ICAL.Event(component));
  return { calendar, events };
};

describe.each(BOOKING_SHAPE_NAMES)('The calendar of a booking with %s', (shape) => {
  const event = eticketEventWithIds('0198a000-0000-7000-8000-0000000000e1', shape);
  const { booking } = event;
  const { method, content } = calendarOf(event, 'meridian.example');
  const { calendar, events } = read(content);

  it('has one event a flight, at the instants of take-off and landing', () => {
    expect(method).toBe('PUBLISH');
    expect(calendar.getFirstPropertyValue('method')).toBe('PUBLISH');
    expect(calendar.getFirstPropertyValue('version')).toBe('2.0');
    expect(calendar.getAllSubcomponents('vtimezone')).toEqual([]);
    expect(
      events.map(({ startDate, endDate }) => [startDate.toJSDate().toISOString(), endDate.toJSDate().toISOString()]),
    ).toEqual(
      booking.segments.map(({ departingAt, arrivingAt }) => [
        new Date(departingAt).toISOString(),
        new Date(arrivingAt).toISOString(),
      ]),
    );
    for (const { startDate, endDate } of events)
      expect([startDate.zone.tzid, endDate.zone.tzid]).toEqual(['UTC', 'UTC']);
  });

  it('names each flight by the booking and its segment, the version as its sequence', () => {
    expect(events.map(({ uid }) => uid)).toEqual(
      booking.segments.map(({ id }) => `${booking.id}-${id}@meridian.example`),
    );
    expect(events.map(({ sequence }) => sequence)).toEqual(booking.segments.map(() => 1));
    for (const { component } of events) {
      expect(component.getFirstPropertyValue('dtstamp')?.toString()).toBe('2026-11-30T18:04:05Z');
      expect(component.getFirstPropertyValue('status')).toBe('CONFIRMED');
      expect(component.getFirstPropertyValue('transp')).toBe('OPAQUE');
      expect(component.getFirstPropertyValue('organizer')).toBe('mailto:support@meridian.example');
      expect(component.getAllProperties('attendee')).toEqual([]);
    }
  });

  it('says where and when by the airports’ own clocks', () => {
    const local = localNameIn(booking);
    events.forEach(({ summary, description, location }, index) => {
      const segment = booking.segments[index]!;
      expect(summary).toContain(`${segment.marketingCarrier.iataCode} ${segment.flightNumber}`);
      expect(location).toContain(`${segment.origin.name} (${segment.origin.iataCode})`);
      if (segment.origin.terminal) expect(location).toContain(`Terminal ${segment.origin.terminal}`);
      for (const fact of [
        segment.departingAt.slice(11, 16),
        segment.arrivingAt.slice(11, 16),
        `${local(segment.origin.cityName)} (${segment.origin.iataCode})`,
        `${local(segment.destination.cityName)} (${segment.destination.iataCode})`,
        segment.operatingCarrier.name,
        booking.reference,
      ]) {
        expect(description).toContain(fact);
      }
    });
  });

  it('has lines that every calendar program reads: at most 75 bytes, ended by CR and LF', () => {
    const lines = content.split('\r\n');
    expect(content).not.toMatch(/[^\r]\n/);
    expect(lines.filter((line) => Buffer.byteLength(line) > 75)).toEqual([]);
  });
});

describe('The calendar of a booking', () => {
  it('of a later version replaces the events of the one before', () => {
    const event = eticketEvent('family with an infant, return');
    const first = read(calendarOf(event, 'meridian.example').content).events;
    const second = read(calendarOf({ ...event, version: 2 }, 'meridian.example').content).events;
    expect(second.map(({ uid }) => uid)).toEqual(first.map(({ uid }) => uid));
    expect(second.map(({ sequence }) => sequence)).toEqual(first.map(({ sequence }) => sequence + 1));
  });

  it('that was cancelled takes the same events out', () => {
    const event = eticketEvent('family with an infant, return');
    const { method, content } = calendarOf(cancelledEvent(event));
    const { calendar, events } = read(content);
    expect(method).toBe('CANCEL');
    expect(calendar.getFirstPropertyValue('method')).toBe('CANCEL');
    expect(events.map(({ uid }) => uid)).toEqual(read(calendarOf(event).content).events.map(({ uid }) => uid));
    for (const { sequence, component } of events) {
      expect(sequence).toBe(2);
      expect(component.getFirstPropertyValue('status')).toBe('CANCELLED');
      expect(component.getFirstPropertyValue('dtstamp')?.toString()).toBe('2026-12-02T09:30:00Z');
    }
  });

  it('is in the traveller’s language', () => {
    const { events } = read(calendarOf(eticketEvent('one adult, one way'), 'meridian.example').content);
    expect(events[0]?.summary).toBe('Vuelo IB 3166: Madrid (MAD) – Londres (LHR)');
    expect(events[0]?.description).toContain('Salida: jue, 14 ene 2027 07:15, Madrid (MAD)');
  });

  it('takes commas, semicolons, quotes and backslashes for text', () => {
    const event = eticketEvent('one adult, one way');
    const odd = 'A, b; "c" \\n d: BEGIN:VEVENT';
    const segments = event.booking.segments.map((segment) => ({
      ...segment,
      origin: { ...segment.origin, name: odd },
    }));
    const issuedBy = { ...event.booking.issuedBy, name: odd };
    const { events } = read(
      calendarOf({ ...event, booking: { ...event.booking, segments, issuedBy } }, 'x.test').content,
    );
    expect(events).toHaveLength(1);
    expect(events[0]?.location).toContain(odd);
    expect(events[0]?.component.getFirstProperty('organizer')?.getParameter('cn')).toContain('A, b; ’c’');
  });
});
