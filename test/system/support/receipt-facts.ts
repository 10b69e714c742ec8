import type { SampleBooking } from '@eticket/standalone/sample-bookings';
import type { ParsedMail } from 'mailparser';
import { asciiAddress } from './personal-data.js';
import { textOfHtml } from './text-of-html.js';
import type { Amount, Booking, Segment } from './traveller.js';

/** What a traveller takes from an e-ticket, in one form for whatever language and layout it is written in. */
export interface ReceiptFacts {
  readonly reference: string;
  /** Given and family name as typed. */
  readonly passengers: readonly { readonly name: string; readonly ticketNumber: string }[];
  readonly flights: readonly FlightFacts[];
  /** As the API writes it: `1234.50 EUR`. */
  readonly totalPaid: string;
}

export interface FlightFacts {
  /** `IB3170`. */
  readonly number: string;
  /** Airport, date and wall clock there: `MAD 2027-01-14 07:15`. */
  readonly departure: string;
  readonly arrival: string;
  /** `adult: 1 × 8 kg and 1 × 23 kg`: cabin, then checked. */
  readonly baggage: readonly string[];
}

/** What the mail of a booking has to say: names from the request, the rest from the answer. */
export function factsOf(booking: Booking, { passengers }: SampleBooking): ReceiptFacts {
  return {
    reference: booking.reference,
    passengers: passengers.map(({ givenName, familyName }, index) => ({
      name: `${givenName} ${familyName}`,
      ticketNumber: booking.passengers[index]?.ticketNumber ?? '',
    })),
    flights: booking.segments.map((segment) => ({
      number: `${segment.marketingCarrier.iataCode}${segment.flightNumber}`,
      departure: `${segment.origin.iataCode} ${wallClock(segment.departingAt, segment.origin.timeZone)}`,
      arrival: `${segment.destination.iataCode} ${wallClock(segment.arrivingAt, segment.destination.timeZone)}`,
      baggage: segment.baggage.map(baggageFact),
    })),
    totalPaid: amountFact(booking.total),
  };
}

/** What the text part says. */
export function factsInText(mail: ParsedMail): ReceiptFacts {
  return factsIn(mail.text ?? '');
}

/** What the HTML part shows. */
export function factsInHtml(mail: ParsedMail): ReceiptFacts {
  return factsIn(textOfHtml(mail.html || ''));
}

/** Addresses of the `To` header, their domains as on the wire. */
export function recipientsOf({ to }: ParsedMail): readonly string[] {
  const fields = to === undefined ? [] : Array.isArray(to) ? to : [to];
  return fields.flatMap(({ value }) => value.map(({ address }) => asciiAddress(address ?? '')));
}

/** The moment as a clock at that place shows it, by the time zone database rather than by the offset of the answer. */
function wallClock(time: string, timeZone: string): string {
  const clock = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  return clock.format(new Date(time));
}

function baggageFact(allowance: Segment['baggage'][number]): string {
  const { passengerType, carryOnPieces, carryOnKg, checkedPieces, checkedKg } = allowance;
  const pieces = (count: number, kg: number) => (count === 0 ? 'none' : `${count} × ${kg} kg`);
  return `${passengerType}: ${pieces(carryOnPieces, carryOnKg)} and ${pieces(checkedPieces, checkedKg)}`;
}

function amountFact({ amount, currency }: Amount): string {
  return `${amount} ${currency}`;
}

/** The words by which a reader finds things: English, and Spanish where the traveller asked for it. */
const WORDS = {
  reference: /(?:Booking reference|Localizador de la reserva):?\s+(\S+)/,
  totalPaid: /(?:Total paid|Total pagado):?\s+(.+)/,
  flights: /^(?:== )?(?:Flights|Vuelos)\b/,
  passengers: /^(?:== )?(?:Passengers and tickets|Pasajeros y billetes)\b/,
  price: /^(?:== )?(?:Price|Precio)\b/,
  title: /^(?:Mr|Mrs|Ms|Miss|Master|Dr|Sr\.|Sra\.|Srta\.|Niño|Dr\.) /,
  baggage: /(Adult|Child|Infant|Adulto|Niño|Bebé): (?:cabin|de mano) (.+?), (?:checked|facturado) (.+)/,
  none: /^(?:none|no incluido)$/,
};
const PASSENGER_TYPES: Readonly<Record<string, string>> = {
  Adult: 'adult',
  Child: 'child',
  Infant: 'infant',
  Adulto: 'adult',
  Niño: 'child',
  Bebé: 'infant',
};
/** English, Spanish. */
const MONTHS = [
  ['jan', 'ene'],
  ['feb', 'feb'],
  ['mar', 'mar'],
  ['apr', 'abr'],
  ['may', 'may'],
  ['jun', 'jun'],
  ['jul', 'jul'],
  ['aug', 'ago'],
  ['sep', 'sep'],
  ['oct', 'oct'],
  ['nov', 'nov'],
  ['dec', 'dic'],
];
/** Those of the bookings whose amounts have not two decimals (ISO 4217). */
const DECIMALS: Readonly<Record<string, number>> = { JPY: 0, KWD: 3 };

const FLIGHT = /^([A-Z0-9]{2}) (\d{1,4})(?: |$)/;

function factsIn(text: string): ReceiptFacts {
  const lines = text.split('\n').map((line) => line.replace(/\s+/g, ' ').trim());
  const whole = lines.join('\n');
  return {
    reference: WORDS.reference.exec(whole)?.[1] ?? '',
    passengers: passengersIn(between(lines, WORDS.passengers, WORDS.price)),
    flights: flightsIn(between(lines, WORDS.flights, WORDS.passengers)),
    totalPaid: amountIn(WORDS.totalPaid.exec(whole)?.[1] ?? ''),
  };
}

function between(lines: readonly string[], start: RegExp, end: RegExp): readonly string[] {
  const first = lines.findIndex((line) => start.test(line));
  const last = lines.findIndex((line, index) => index > first && end.test(line));
  return lines.slice(first + 1, last);
}

/** A ticket number belongs to the name above it. */
function passengersIn(lines: readonly string[]): ReceiptFacts['passengers'] {
  return lines.flatMap((line, index) => {
    const ticket = /(?:^|: )(\d{3})-(\d{10})$/.exec(line);
    if (!ticket) return [];
    const name = lines.slice(0, index).findLast((above) => WORDS.title.test(above)) ?? '';
    return [{ name: name.replace(WORDS.title, ''), ticketNumber: `${ticket[1]}${ticket[2]}` }];
  });
}

/** From one flight number to the next, departure stands before arrival. */
function flightsIn(lines: readonly string[]): readonly FlightFacts[] {
  const starts = lines.flatMap((line, index) => (FLIGHT.test(line) ? [index] : []));
  return starts.map((start, nth) => {
    const own = lines.slice(start, starts[nth + 1]);
    const [departure, arrival] = endsIn(own.slice(1).join('\n'));
    return {
      number: (own[0] ?? '').replace(FLIGHT, '$1$2 ').split(' ')[0] ?? '',
      departure: departure ?? '',
      arrival: arrival ?? '',
      baggage: own.flatMap((line) => baggageIn(line)),
    };
  });
}

function endsIn(text: string): readonly string[] {
  const times = text.match(/\b\d\d:\d\d\b/g) ?? [];
  const dates = [...text.matchAll(/\b(\d{1,2}) (\p{L}{3})\p{L}*\.?,? (\d{4})\b/gu)].map(
    ([, day = '', month = '', year]) => {
      const number = MONTHS.findIndex((names) => names.includes(month.toLowerCase())) + 1;
      return `${year}-${String(number).padStart(2, '0')}-${day.padStart(2, '0')}`;
    },
  );
  const airports = [...text.matchAll(/\(([A-Z]{3})\)/g)].map(([, code]) => code);
  return airports.map((airport, index) => `${airport} ${dates[index]} ${times[index]}`);
}

function baggageIn(line: string): readonly string[] {
  const found = WORDS.baggage.exec(line);
  if (!found) return [];
  const [, type = '', cabin = '', checked = ''] = found;
  const [inCabin, inHold] = [cabin, checked].map((pieces) => (WORDS.none.test(pieces) ? 'none' : pieces));
  return [`${PASSENGER_TYPES[type]}: ${inCabin} and ${inHold}`];
}

/** Whichever side the currency stands on, and however the language groups digits. */
function amountIn(text: string): string {
  const currency = /\b[A-Z]{3}\b/.exec(text)?.[0] ?? '';
  const number = text.replace(currency, '').trim();
  const decimals = DECIMALS[currency] ?? 2;
  const parts = new RegExp(`^(\\d[\\d.,' ]*?)${decimals === 0 ? '' : `[.,](\\d{${decimals}})`}$`).exec(number);
  if (!parts) return text;
  const [, whole = '', fraction] = parts;
  return `${whole.replace(/\D/g, '')}${fraction === undefined ? '' : `.${fraction}`} ${currency}`;
}
