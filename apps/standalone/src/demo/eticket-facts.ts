import { domainToASCII } from 'node:url';
import type { ParsedMail } from 'mailparser';
import type { BookedTrip } from './booking-answer.js';

/** What booking and mail must agree on, as plain comparable text. */
export interface EticketFacts {
  readonly recipient: string;
  readonly reference: string;
  /** `given family: ticket number`, in the order of the mail. */
  readonly passengers: readonly string[];
  /** `IB3170 MAD 2027-01-14 18:35 - LHR 2027-01-14 20:05`. */
  readonly flights: readonly string[];
  /** `EUR 189.90`. */
  readonly total: string;
}

/** The facts as the booking service answered them. */
export function factsOfBooking(booking: BookedTrip, recipient: string): EticketFacts {
  return {
    recipient: asciiAddress(recipient),
    reference: booking.reference,
    passengers: booking.passengers.map((one) => `${one.givenName} ${one.familyName}: ${one.ticketNumber}`),
    flights: booking.segments.map((segment) => {
      const number = `${segment.marketingCarrier.iataCode}${segment.flightNumber}`;
      const end = (airport: string, at: string) => `${airport} ${at.slice(0, 10)} ${at.slice(11, 16)}`;
      const from = end(segment.origin.iataCode, segment.departingAt);
      return `${number} ${from} - ${end(segment.destination.iataCode, segment.arrivingAt)}`;
    }),
    total: `${booking.total.currency} ${booking.total.amount}`,
  };
}

/** Reads facts back out of a mail; what is not found stays empty, and so differs from the booking's. */
export function factsOfMail(mail: ParsedMail, expected: EticketFacts): EticketFacts {
  const lines = (mail.text ?? '').replaceAll('\u00a0', ' ').split(/\r?\n/);
  const [, flights = [], passengers = [], price = []] = sectionsOf(lines);
  return {
    recipient: recipientOf(mail),
    reference: referenceIn(mail, lines),
    passengers: passengersIn(passengers),
    flights: flightsIn(flights, expected),
    total: totalIn(price, expected.total),
  };
}

/** Facts that the HTML part does not show as the text part does. */
export function missingInHtml(mail: ParsedMail, facts: EticketFacts): readonly string[] {
  const text = textOfHtml(mail.html || '');
  const wanted = [
    facts.reference,
    ...facts.passengers.flatMap((passenger) => {
      const [name = '', ticket = ''] = passenger.split(': ');
      return [name, printedTicket(ticket)];
    }),
    ...facts.flights.map((flight) => flight.replace(/^(..)(\d+) .*/, '$1 $2')),
  ];
  const missing = wanted.filter((fact) => !text.includes(fact));
  return amountsIn(text, facts.total).includes(facts.total) ? missing : [...missing, facts.total];
}

/** What stands before the first heading, then each heading's lines: flights, passengers, price, and more. */
function sectionsOf(lines: readonly string[]): readonly (readonly string[])[] {
  const starts = [-1, ...lines.flatMap((line, index) => (/^== .+ ==$/.test(line) ? [index] : []))];
  return starts.map((start, nth) => lines.slice(start + 1, starts[nth + 1]));
}

function recipientOf(mail: ParsedMail): string {
  const to = Array.isArray(mail.to) ? mail.to : mail.to ? [mail.to] : [];
  return to.flatMap(({ value }) => value.map(({ address }) => asciiAddress(address ?? ''))).join(', ');
}

/** In the subject and on a line of its own label. */
function referenceIn(mail: ParsedMail, lines: readonly string[]): string {
  const found =
    lines.map((line) => /: ([2-9A-HJ-NP-Z]{6})$/.exec(line)?.[1]).find((match) => match !== undefined) ?? '';
  return mail.subject?.includes(found) ? found : '';
}

/** A ticket number stands on the line below its passenger's title and name. */
function passengersIn(lines: readonly string[]): readonly string[] {
  return lines.flatMap((line, index) => {
    const ticket = /^\s+.*: (\d{3})-(\d{10})$/.exec(line);
    if (!ticket) return [];
    const name = (lines[index - 1] ?? '').trim().replace(/^\S+ /, '');
    return [`${name}: ${ticket[1]}${ticket[2]}`];
  });
}

/** Flight number, then the lines of departure and arrival with date, time and airport. */
function flightsIn(lines: readonly string[], expected: EticketFacts): readonly string[] {
  return lines.flatMap((line, index) => {
    const number = /^([A-Z0-9]{2}) (\d{1,4}) /.exec(line);
    if (!number) return [];
    const nth = lines.slice(0, index).filter((before) => /^([A-Z0-9]{2}) (\d{1,4}) /.test(before)).length;
    const [departure = '', arrival = ''] = (expected.flights[nth] ?? '').match(/\d{4}-\d\d-\d\d/g) ?? [];
    const from = endIn(lines[index + 1] ?? '', departure);
    return [`${number[1]}${number[2]} ${from} - ${endIn(lines[index + 2] ?? '', arrival)}`];
  });
}

/** Dates are printed in the traveller's language: day and year are looked for, and the month is left to the mail's own tests. */
function endIn(line: string, date: string): string {
  const [year = '', , day = ''] = date.split('-');
  const printed = line.split(/\d\d:\d\d/)[0] ?? '';
  const numbers: readonly string[] = printed.match(/\d+/g) ?? [];
  const airport = /\(([A-Z]{3})\)/.exec(line)?.[1] ?? '';
  const time = /\d\d:\d\d/.exec(line)?.[0] ?? '';
  const agrees = numbers.includes(year) && numbers.some((number) => Number(number) === Number(day));
  return `${airport} ${agrees ? date : printed.trim()} ${time}`;
}

/** The price section ends with the total. */
function totalIn(lines: readonly string[], expected: string): string {
  return lines.flatMap((line) => amountsIn(line, expected)).at(-1) ?? '';
}

/**
 * Amounts in the expected currency, whichever side it stands on and however the language groups digits; with as many
 * decimals as the expected amount has.
 */
function amountsIn(text: string, expected: string): readonly string[] {
  const [currency = '', amount = ''] = expected.split(' ');
  const decimals = amount.split('.')[1]?.length ?? 0;
  const before = new RegExp(`${currency}[ \u00a0](\\d[\\d.,' \u202f]*)`, 'g');
  const after = new RegExp(`(\\d[\\d.,' \u202f]*)[ \u00a0]${currency}`, 'g');
  return [...text.matchAll(before), ...text.matchAll(after)].map((match) => {
    const digits = (match[1] ?? '').replace(/\D/g, '');
    const whole = decimals === 0 ? digits : digits.slice(0, -decimals);
    return `${currency} ${whole}${decimals === 0 ? '' : `.${digits.slice(-decimals)}`}`;
  });
}

function printedTicket(ticket: string): string {
  return `${ticket.slice(0, 3)}-${ticket.slice(3)}`;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

function textOfHtml(html: string): string {
  return html
    .replace(/<(style|head)[\s\S]*?<\/\1>/gi, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (all, hex?: string, decimal?: string, name?: string) =>
      hex
        ? String.fromCodePoint(parseInt(hex, 16))
        : decimal
          ? String.fromCodePoint(Number(decimal))
          : (ENTITIES[name ?? ''] ?? all),
    )
    .replace(/[\s\u00a0]+/g, ' ');
}

/** An international domain is ASCII on the wire and in its own script in front of people. */
export function asciiAddress(address: string): string {
  const [local = '', domain = ''] = address.split('@');
  return `${local}@${domainToASCII(domain)}`.toLowerCase();
}
