import type { BookingSnapshot, IssuingAgent } from '@eticket/contracts';
import ical, { ICalCalendarMethod, ICalEventStatus, ICalEventTransparency } from 'ical-generator';
import { receiptFormat } from '../receipt/receipt-format.js';
import { receiptLocale } from '../receipt/receipt-language.js';
import { flightView } from '../receipt/receipt-view.js';
import type { FlightView } from '../receipt/receipt-view.js';
import { receiptWords } from '../receipt/receipt-words.js';
import type { ReceiptWords } from '../receipt/receipt-words.js';

/** A calendar file. Its method belongs into the part's Content-Type too (RFC 6047 §2.4). */
export interface FlightCalendar {
  readonly method: 'PUBLISH';
  readonly content: string;
}

/** What a calendar is made from: the booking, and where in its history. */
export interface CalendarOccasion {
  readonly booking: BookingSnapshot;
  /** Becomes SEQUENCE: a calendar replaces an event by one of the same UID and a higher sequence. */
  readonly version: number;
  readonly occurredAt: string;
}

/**
 * The flights as calendar events, one each (RFC 5545). Times are UTC: a flight begins in one zone and ends in another,
 * and an instant needs no VTIMEZONE that a calendar program may read wrongly. The local times stand in the description.
 * @param uidDomain ends each UID; the same for every version of a booking
 */
export function flightCalendar({ booking, version, occurredAt }: CalendarOccasion, uidDomain: string): FlightCalendar {
  const locale = receiptLocale(booking.locale);
  const words = receiptWords(locale.language);
  const format = receiptFormat(locale.format);
  const calendar = ical({
    prodId: { company: 'eticket-pipeline', product: 'mail-eticket', language: locale.language.toUpperCase() },
    // RFC 5546 §3.2.1: for information, nobody is asked to answer.
    method: ICalCalendarMethod.PUBLISH,
  });
  for (const segment of booking.segments) {
    const flight = flightView(segment, words, format);
    calendar.createEvent({
      id: `${booking.id}-${segment.id}@${uidDomain}`,
      sequence: version,
      stamp: new Date(occurredAt),
      start: new Date(segment.departingAt),
      end: new Date(segment.arrivingAt),
      summary: words.text('calendarSummary', {
        number: flight.number,
        origin: placeText(flight.from),
        destination: placeText(flight.to),
      }),
      description: descriptionOf(flight, booking, words),
      location: [`${flight.from.name} (${flight.from.code})`, flight.from.terminal].filter(Boolean).join(', '),
      organizer: organizer(booking.issuedBy),
      status: ICalEventStatus.CONFIRMED,
      transparency: ICalEventTransparency.OPAQUE,
      url: booking.manageUrl,
    });
  }
  return { method: 'PUBLISH', content: calendar.toString() };
}

function descriptionOf(flight: FlightView, booking: BookingSnapshot, words: ReceiptWords): string {
  const { departure, arrival, from, to } = flight;
  const dayChange = arrival.dayChangeText === '' ? '' : ` (${arrival.dayChangeText})`;
  return [
    `${words.text('departure')}: ${departure.date} ${departure.time}, ${placeText(from)}`,
    `${words.text('arrival')}: ${arrival.date} ${arrival.time}${dayChange}, ${placeText(to)}`,
    `${words.text('operatedBy')}: ${flight.operatedBy}`,
    `${words.text('cabin')}: ${flight.cabin}`,
    `${words.text('reference')}: ${booking.reference}`,
    words.text('notBoardingPass'),
  ].join('\n');
}

function placeText(place: FlightView['from']): string {
  return [`${place.city} (${place.code})`, place.terminal].filter(Boolean).join(', ');
}

/** A quoted parameter value cannot hold a quote (RFC 5545 §3.2). */
function organizer({ name, supportEmail }: IssuingAgent): { readonly name: string; readonly email: string } {
  return { name: name.replace(/"/g, '’'), email: supportEmail };
}
