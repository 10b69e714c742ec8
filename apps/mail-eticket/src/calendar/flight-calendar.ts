import type { BookingSnapshot, IssuingAgent } from '@eticket/contracts';
import ical, { ICalCalendarMethod, ICalEventStatus, ICalEventTransparency } from 'ical-generator';
import type { MailOccasion } from '../receipt/mail-occasion.js';
import { receiptFormat } from '../receipt/receipt-format.js';
import { receiptLocale } from '../receipt/receipt-language.js';
import { flightView } from '../receipt/receipt-view.js';
import type { FlightView } from '../receipt/receipt-view.js';
import { receiptWords } from '../receipt/receipt-words.js';
import type { ReceiptWords } from '../receipt/receipt-words.js';

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
export function flightCalendar(
  { kind, booking, version, occurredAt }: MailOccasion,
  uidDomain: string,
): FlightCalendar {
  const isCancelled = kind === 'cancelled';
  const locale = receiptLocale(booking.locale);
  const words = receiptWords(locale.language);
  const format = receiptFormat(locale.format);
  const calendar = ical({
    prodId: { company: 'eticket-pipeline', product: 'mail-eticket', language: locale.language.toUpperCase() },
    // RFC 5546 §3.2.1: for information, nobody is asked to answer. §3.2.5: events of these UIDs are to be taken out.
    method: isCancelled ? ICalCalendarMethod.CANCEL : ICalCalendarMethod.PUBLISH,
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
      status: isCancelled ? ICalEventStatus.CANCELLED : ICalEventStatus.CONFIRMED,
      transparency: isCancelled ? ICalEventTransparency.TRANSPARENT : ICalEventTransparency.OPAQUE,
      url: booking.manageUrl,
    });
  }
  return { method: isCancelled ? 'CANCEL' : 'PUBLISH', content: calendar.toString() };
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
