import type { BookingSnapshot, IssuingAgent, TicketedSegment } from '@eticket/contracts';
import type { MailOccasion } from '../receipt/mail-occasion.js';
import { receiptFormat } from '../receipt/receipt-format.js';
import { receiptLocale } from '../receipt/receipt-language.js';
import { flightView } from '../receipt/receipt-view.js';
import type { FlightView } from '../receipt/receipt-view.js';
import { receiptWords } from '../receipt/receipt-words.js';
import type { ReceiptWords } from '../receipt/receipt-words.js';
import { contentLine, instantLine, textLine } from './content-lines.js';

/** A calendar file. Its method belongs into the part's Content-Type too (RFC 6047 §2.4). */
export interface FlightCalendar {
  readonly method: 'PUBLISH' | 'CANCEL';
  readonly content: string;
}

/**
 * The flights as calendar events, one each (RFC 5545); SEQUENCE is the version, so that a
 * later mail replaces what an earlier one brought. Times are UTC: a flight begins in one zone and ends in another,
 * and an instant needs no VTIMEZONE that a calendar program may read wrongly. The local times stand in the description.
 * @param uidDomain ends each UID; the same for every version of a booking
 */
export function flightCalendar(occasion: MailOccasion, uidDomain: string): FlightCalendar {
  const locale = receiptLocale(occasion.booking.locale);
  const words = receiptWords(locale.language);
  const format = receiptFormat(locale.format);
  // RFC 5546 §3.2.1: for information, nobody is asked to answer. §3.2.5: events of these UIDs are to be taken out.
  const method = occasion.kind === 'cancelled' ? 'CANCEL' : 'PUBLISH';
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    `PRODID:-//eticket-pipeline//mail-eticket//${locale.language.toUpperCase()}`,
    `METHOD:${method}`,
    ...occasion.booking.segments.flatMap((segment) =>
      eventOf(occasion, segment, flightView(segment, words, format), words, uidDomain),
    ),
    'END:VCALENDAR',
  ];
  return { method, content: `${lines.join('\r\n')}\r\n` };
}

function eventOf(
  { kind, booking, version, occurredAt }: MailOccasion,
  segment: TicketedSegment,
  flight: FlightView,
  words: ReceiptWords,
  uidDomain: string,
): readonly string[] {
  const isCancelled = kind === 'cancelled';
  const { number, from, to } = flight;
  return [
    'BEGIN:VEVENT',
    textLine('UID', `${booking.id}-${segment.id}@${uidDomain}`),
    contentLine('SEQUENCE', version),
    instantLine('DTSTAMP', new Date(occurredAt)),
    instantLine('DTSTART', new Date(segment.departingAt)),
    instantLine('DTEND', new Date(segment.arrivingAt)),
    textLine('SUMMARY', words.text('calendarSummary', { number, origin: cityText(from), destination: cityText(to) })),
    textLine('LOCATION', [`${from.name} (${from.code})`, from.terminal].filter(Boolean).join(', ')),
    textLine('DESCRIPTION', descriptionOf(flight, booking, words)),
    organizerLine(booking.issuedBy),
    contentLine('URL;VALUE=URI', booking.manageUrl),
    `STATUS:${isCancelled ? 'CANCELLED' : 'CONFIRMED'}`,
    `TRANSP:${isCancelled ? 'TRANSPARENT' : 'OPAQUE'}`,
    'END:VEVENT',
  ];
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

/** Short: of a summary a calendar shows the first words alone. */
function cityText({ city, code }: FlightView['from']): string {
  return `${city} (${code})`;
}

function placeText(place: FlightView['from']): string {
  return [cityText(place), place.terminal].filter(Boolean).join(', ');
}

/** A quoted parameter value cannot hold a quote (RFC 5545 §3.2). */
function organizerLine({ name, supportEmail }: IssuingAgent): string {
  return contentLine(`ORGANIZER;CN="${name.replace(/"/g, '’')}"`, `mailto:${supportEmail}`);
}
