import type {
  Airline,
  Airport,
  BaggageAllowance,
  BookingSnapshot,
  FareCondition,
  TicketedPassenger,
  TicketedSegment,
} from '@eticket/contracts';
import type { MailOccasion } from './mail-occasion.js';
import { dayChange, durationText, receiptFormat, ticketNumberText } from './receipt-format.js';
import type { ReceiptFormat } from './receipt-format.js';
import type { ReceiptLocale } from './receipt-language.js';
import type { ReceiptWords } from './receipt-words.js';

/** What the templates print, every value ready. Absent values are empty strings: templates run in strict mode. */
export type ReceiptView = ReturnType<typeof receiptView>;
export type FlightView = ReturnType<typeof flightView>;
export type PassengerView = ReturnType<typeof passengerView>;

const PASSENGER_TYPE_CODES = { adult: 'ADT', child: 'CHD', infant: 'INF' } as const;
const NOTICES = ['checkIn', 'baggage', 'dangerousGoods', 'liability', 'privacy'] as const;

/** The receipt of a booking in one locale: a pure function, whatever the process's time zone and locale. */
export function receiptView(occasion: MailOccasion, locale: ReceiptLocale, words: ReceiptWords) {
  const { kind, booking } = occasion;
  const format = receiptFormat(locale.format);
  const slices = [...new Set(booking.segments.map((segment) => segment.slice))].sort((a, b) => a - b);
  const issuedAt = new Date(booking.issuedAt).toISOString();
  return {
    lang: locale.format,
    dir: locale.direction,
    // Outlook knows no `start` and `end`.
    side: locale.direction === 'rtl' ? { start: 'right', end: 'left' } : { start: 'left', end: 'right' },
    subject: subjectOf(occasion, words, format),
    headline: words.text(`${kind}.headline`),
    preheader: words.text(`${kind}.preheader`, { reference: booking.reference }),
    intro: words.text(`${kind}.intro`),
    reference: booking.reference,
    flightStatus: words.text(kind === 'cancelled' ? 'statusCancelled' : 'statusOk'),
    cancellation: cancellationView(occasion, words, format),
    issuedOn: `${format.date(issuedAt)}, ${format.time(issuedAt)} UTC`,
    agent: booking.issuedBy,
    validatingCarrier: airlineText(booking.validatingCarrier),
    manageUrl: booking.manageUrl,
    slices: slices.map((slice) => ({
      heading: slices.length === 1 ? '' : words.text(slice === slices[0] ? 'outbound' : 'return'),
      flights: booking.segments
        .filter((segment) => segment.slice === slice)
        .map((segment) => flightView(segment, words, format)),
    })),
    passengers: booking.passengers.map((passenger) => passengerView(passenger, booking.passengers, words, format)),
    price: {
      base: format.money(booking.price.base),
      taxes: booking.price.taxes.map((tax) => ({ code: tax.code, name: tax.name, amount: format.money(tax) })),
      fees: format.money(booking.price.fees),
      total: format.money(booking.price.total),
    },
    payment: {
      card: cardText(booking, words),
      approvalCode: booking.payment.approvalCode,
    },
    rules: {
      change: ruleText(booking.conditions.changeBeforeDeparture, words, format),
      refund: ruleText(booking.conditions.refundBeforeDeparture, words, format),
      endorsements: booking.conditions.endorsements,
    },
    notices: NOTICES.map((notice) => ({
      heading: words.text(`notice.${notice}`),
      text: words.text(`notice.${notice}.text`),
    })),
  };
}

/** What a cancellation says beside the rest; of other occasions nothing. */
function cancellationView(
  { kind, booking, occurredAt, refund }: MailOccasion,
  words: ReceiptWords,
  format: ReceiptFormat,
) {
  const nothing = { on: '', refund: '', note: '' };
  if (kind !== 'cancelled' || !refund) return nothing;
  const at = new Date(occurredAt).toISOString();
  const on = `${format.date(at)}, ${format.time(at)} UTC`;
  if (Number(refund.amount) === 0) return { on, refund: format.money(refund), note: words.text('refundNone') };
  return { on, refund: format.money(refund), note: words.text('refundTo', { card: cardText(booking, words) }) };
}

function cardText({ payment }: BookingSnapshot, words: ReceiptWords): string {
  return `${words.text(`brand.${payment.brand}`)} ************${payment.last4}`;
}

/** Reference, route and date: what a traveller searches for. No ticket number, no name: subjects are shown on lock screens. */
function subjectOf({ kind, booking }: MailOccasion, words: ReceiptWords, format: ReceiptFormat): string {
  const [first] = booking.segments;
  const out = booking.segments.filter((segment) => segment.slice === first?.slice);
  const last = out[out.length - 1];
  if (!first || !last) throw new RangeError('a booking without a flight has no receipt');
  const hasReturn = out.length < booking.segments.length;
  return words.text(`${kind}.${hasReturn ? 'subjectReturn' : 'subject'}`, {
    reference: booking.reference,
    origin: first.origin.cityName,
    destination: last.destination.cityName,
    date: format.shortDate(first.departingAt),
  });
}

/** One flight as it is printed, with its local times. */
export function flightView(segment: TicketedSegment, words: ReceiptWords, format: ReceiptFormat) {
  const change = dayChange(segment.departingAt, segment.arrivingAt);
  return {
    number: `${segment.marketingCarrier.iataCode} ${segment.flightNumber}`,
    carrier: segment.marketingCarrier.name,
    operatedBy: airlineText(segment.operatingCarrier),
    cabin: words.text('cabinAndClass', {
      cabin: words.text(`cabin.${segment.cabin}`),
      bookingClass: segment.bookingClass,
    }),
    fareBasis: segment.fareBasis,
    aircraft: segment.aircraft,
    duration: durationText(segment.duration),
    from: placeView(segment.origin, words),
    to: placeView(segment.destination, words),
    departure: { date: format.date(segment.departingAt), time: format.time(segment.departingAt) },
    arrival: {
      date: format.date(segment.arrivingAt),
      time: format.time(segment.arrivingAt),
      dayChange: change,
      dayChangeText: change === '' ? '' : words.text('nextDay', { change }),
    },
    baggage: segment.baggage.map((allowance) => ({
      passengerType: allowance.passengerType,
      text: baggageText(allowance, words),
    })),
  };
}

function placeView(airport: Airport, words: ReceiptWords) {
  return {
    code: airport.iataCode,
    city: airport.cityName,
    name: airport.name,
    terminal: airport.terminal ? words.text('terminal', { terminal: airport.terminal }) : '',
  };
}

function passengerView(
  passenger: TicketedPassenger,
  all: readonly TicketedPassenger[],
  words: ReceiptWords,
  format: ReceiptFormat,
) {
  const adult = passenger.infantOf === undefined ? undefined : all[passenger.infantOf];
  return {
    name: fullName(passenger),
    title: words.text(`title.${passenger.title}`),
    passengerType: passenger.type,
    type: `${words.text(`passenger.${passenger.type}`)} (${PASSENGER_TYPE_CODES[passenger.type]})`,
    travellingWith: adult ? fullName(adult) : '',
    ticketName: passenger.ticketName,
    ticketNumber: ticketNumberText(passenger.ticketNumber),
    base: format.money(passenger.base),
    taxes: passenger.taxes.map((tax) => ({ code: tax.code, name: tax.name, amount: format.money(tax) })),
    total: format.money(passenger.total),
  };
}

function baggageText(allowance: BaggageAllowance, words: ReceiptWords): string {
  const pieces = (count: number, kg: number): string =>
    count === 0 ? words.text('baggageNone') : words.text('baggagePieces', { pieces: String(count), kg: String(kg) });
  return words.text('baggageLine', {
    passenger: words.text(`passenger.${allowance.passengerType}`),
    carryOn: pieces(allowance.carryOnPieces, allowance.carryOnKg),
    checked: pieces(allowance.checkedPieces, allowance.checkedKg),
  });
}

function ruleText(rule: FareCondition, words: ReceiptWords, format: ReceiptFormat): string {
  if (!rule.allowed) return words.text('ruleNotAllowed');
  if (!rule.penalty || Number(rule.penalty.amount) === 0) return words.text('ruleFree');
  return words.text('ruleWithFee', { amount: format.money(rule.penalty) });
}

function fullName(passenger: TicketedPassenger): string {
  return `${passenger.givenName} ${passenger.familyName}`;
}

function airlineText(airline: Airline): string {
  return `${airline.name} (${airline.iataCode})`;
}
