import type { BookingSnapshot, TicketedSegment } from '@eticket/contracts';
import { mailToDto } from '../bookings/mail-to-dto.js';
import type { StoredBooking } from '../bookings/bookings.repository.js';
import { mailView, type MailView } from './mail-view.js';
import {
  baggageText,
  CABIN_WORDS,
  CARD_WORDS,
  conditionText,
  minutesText,
  moneyText,
  PASSENGER_WORDS,
  placeTime,
  utcText,
} from './words.js';

/** All that the confirmation page's template shows, as text. */
export interface ConfirmationView {
  readonly id: string;
  readonly reference: string;
  readonly route: string;
  readonly issued: string;
  readonly mail: MailView;
  readonly slices: readonly object[];
  readonly passengers: readonly object[];
  readonly price: object;
  readonly payment: string;
  readonly baggage: readonly object[];
  readonly conditions: readonly string[];
  readonly endorsements: string;
}

export function confirmationView({ snapshot, mail }: StoredBooking): ConfirmationView {
  const { price, payment, conditions } = snapshot;
  const slices = slicesOf(snapshot.segments);
  return {
    id: snapshot.id,
    reference: snapshot.reference,
    route: routeText(slices),
    issued: utcText(snapshot.issuedAt),
    mail: mailView(mailToDto(mail), snapshot.contact.email),
    slices: slices.map((segments, index) => ({
      label: slices.length === 1 ? 'One way' : index === 0 ? 'Outbound' : 'Return',
      summary: summaryText(segments),
      segments: segments.map((segment, at) => segmentView(segment, segments[at - 1])),
    })),
    passengers: snapshot.passengers.map((passenger) => ({
      name: `${passenger.givenName} ${passenger.familyName}`,
      kind: kindText(passenger, snapshot),
      ticketName: passenger.ticketName,
      ticketNumber: `${passenger.ticketNumber.slice(0, 3)}-${passenger.ticketNumber.slice(3)}`,
      total: moneyText(passenger.total),
    })),
    price: {
      base: moneyText(price.base),
      taxes: price.taxes.map((tax) => ({ code: tax.code, name: tax.name, amount: moneyText(tax) })),
      fees: moneyText(price.fees),
      total: moneyText(price.total),
    },
    payment: `${CARD_WORDS[payment.brand]} ending in ${payment.last4}, approval ${payment.approvalCode}`,
    baggage: baggageView(snapshot.segments),
    conditions: [
      conditionText('Changes', conditions.changeBeforeDeparture),
      conditionText('Refund', conditions.refundBeforeDeparture),
    ],
    endorsements: conditions.endorsements,
  };
}

function slicesOf(segments: readonly TicketedSegment[]): readonly (readonly TicketedSegment[])[] {
  const numbers = [...new Set(segments.map((segment) => segment.slice))];
  return numbers.map((number) => segments.filter((segment) => segment.slice === number));
}

/** `Barcelona ⇄ New York City` */
function routeText(slices: readonly (readonly TicketedSegment[])[]): string {
  const out = slices[0] ?? [];
  return `${out[0]?.origin.cityName} ${slices.length > 1 ? '⇄' : '→'} ${out.at(-1)?.destination.cityName}`;
}

function minutesBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / 60_000);
}

function summaryText(segments: readonly TicketedSegment[]): string {
  const [first, last] = [segments[0], segments.at(-1)];
  if (!first || !last) return '';
  const stops = segments.length === 1 ? 'non-stop' : `${segments.length - 1} stop`;
  return `${first.origin.iataCode}–${last.destination.iataCode}, ${minutesText(minutesBetween(first.departingAt, last.arrivingAt))}, ${stops}`;
}

function segmentView(segment: TicketedSegment, before: TicketedSegment | undefined): object {
  const { origin, destination, departingAt, arrivingAt, marketingCarrier, operatingCarrier } = segment;
  const number = `${marketingCarrier.iataCode} ${segment.flightNumber}`;
  const plus = daysBetween(departingAt, arrivingAt);
  const operated =
    operatingCarrier.iataCode === marketingCarrier.iataCode ? '' : `, operated by ${operatingCarrier.name}`;
  return {
    origin,
    destination,
    departingAt,
    arrivingAt,
    number,
    departure: placeTime(departingAt),
    arrival: placeTime(arrivingAt),
    duration: minutesText(minutesBetween(departingAt, arrivingAt)),
    plusDays: plus === 0 ? undefined : plus > 0 ? `+${plus}` : `−${-plus}`,
    plusDaysTitle: plus > 0 ? `${plus} day later` : 'the day before',
    details: `${marketingCarrier.name}${operated} · ${CABIN_WORDS[segment.cabin]}, class ${segment.bookingClass} · fare basis ${segment.fareBasis} · ${segment.aircraft} · status ${segment.status}`,
    connection: before && connectionText(before, segment),
  };
}

function connectionText(before: TicketedSegment, next: TicketedSegment): string {
  return `${minutesText(minutesBetween(before.arrivingAt, next.departingAt))} to change flights in ${next.origin.cityName}`;
}

/** Calendar days, both dates local. */
function daysBetween(departingAt: string, arrivingAt: string): number {
  return Math.round((Date.parse(arrivingAt.slice(0, 10)) - Date.parse(departingAt.slice(0, 10))) / 86_400_000);
}

function kindText(passenger: BookingSnapshot['passengers'][number], { passengers }: BookingSnapshot): string {
  const adult = passenger.infantOf === undefined ? undefined : passengers[passenger.infantOf];
  return adult ? `Infant, on the lap of ${adult.givenName} ${adult.familyName}` : PASSENGER_WORDS[passenger.type];
}

/** Flights with the same allowance stand together. */
function baggageView(segments: readonly TicketedSegment[]): readonly object[] {
  const groups = new Map<string, { readonly flights: string[]; readonly segment: TicketedSegment }>();
  for (const segment of segments) {
    const key = JSON.stringify(segment.baggage);
    const group = groups.get(key) ?? { flights: [], segment };
    group.flights.push(`${segment.marketingCarrier.iataCode} ${segment.flightNumber}`);
    groups.set(key, group);
  }
  return [...groups.values()].map(({ flights, segment }) => ({
    flights: groups.size === 1 ? 'On every flight' : flights.join(', '),
    allowances: segment.baggage.map((allowance) => ({
      kind: PASSENGER_WORDS[allowance.passengerType],
      text: baggageText(allowance),
    })),
  }));
}
