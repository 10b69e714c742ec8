import type { BookingPrice, FareConditions, Money, PassengerType } from '@eticket/contracts';
import type { SegmentWire } from '../offers/wire.js';
import type { Words } from './words.js';

/** A segment of an offer, or of a ticket, which has a status. */
export type ShownSegment = SegmentWire & { readonly status?: string };

interface PassengerFare {
  readonly type: PassengerType;
  readonly total: Money;
}

export function slicesOf(segments: readonly ShownSegment[]): readonly (readonly ShownSegment[])[] {
  const numbers = [...new Set(segments.map((segment) => segment.slice))];
  return numbers.map((number) => segments.filter((segment) => segment.slice === number));
}

/** `Barcelona ⇄ New York City` */
export function routeText(segments: readonly ShownSegment[], words: Words): string {
  const slices = slicesOf(segments);
  const out = slices[0] ?? [];
  const [from, to] = [out[0]?.origin.cityName ?? '', out.at(-1)?.destination.cityName ?? ''];
  return `${words.city(from)} ${slices.length > 1 ? '⇄' : '→'} ${words.city(to)}`;
}

/** What the partial `flights` shows. */
export function flightsView(segments: readonly ShownSegment[], words: Words): readonly object[] {
  const slices = slicesOf(segments);
  return slices.map((ofSlice, index) => ({
    label: words.t(`slices.${slices.length === 1 ? 'single' : index === 0 ? 'out' : 'back'}`),
    summary: summaryText(ofSlice, words),
    segments: ofSlice.map((segment, at) => segmentView(segment, ofSlice[at - 1], words)),
  }));
}

export function minutesBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / 60_000);
}

function summaryText(segments: readonly ShownSegment[], words: Words): string {
  const [first, last] = [segments[0], segments.at(-1)];
  if (!first || !last) return '';
  const minutes = words.minutes(minutesBetween(first.departingAt, last.arrivingAt));
  return `${first.origin.iataCode}–${last.destination.iataCode}, ${minutes}, ${words.stops(segments.length - 1)}`;
}

function segmentView(segment: ShownSegment, before: ShownSegment | undefined, words: Words): object {
  const { origin, destination, departingAt, arrivingAt, marketingCarrier, operatingCarrier } = segment;
  const sold = marketingCarrier.iataCode === operatingCarrier.iataCode;
  const operated = sold ? '' : words.t('operatedBy', { name: operatingCarrier.name });
  const details = [
    `${marketingCarrier.name}${operated}`,
    `${words.t(`cabins.${segment.cabin}`)}, ${words.t('class')} ${segment.bookingClass}`,
    `${words.t('fareBasis')} ${segment.fareBasis}`,
    segment.aircraft,
    ...(segment.status === undefined ? [] : [`${words.t('status')} ${segment.status}`]),
  ];
  return {
    origin: { ...origin, cityName: words.city(origin.cityName) },
    destination: { ...destination, cityName: words.city(destination.cityName) },
    departingAt,
    arrivingAt,
    number: flightNumber(segment),
    departure: words.placeTime(departingAt),
    arrival: words.placeTime(arrivingAt),
    duration: words.minutes(minutesBetween(departingAt, arrivingAt)),
    ...plusView(departingAt, arrivingAt, words),
    details: details.join(' · '),
    connection: before && connectionText(before, segment, words),
  };
}

function connectionText(before: ShownSegment, { origin, departingAt }: ShownSegment, words: Words): string {
  const time = words.minutes(minutesBetween(before.arrivingAt, departingAt));
  const text = words.t('change', { time, city: words.city(origin.cityName) });
  const [from, to] = [before.destination.terminal, origin.terminal];
  return from === undefined || to === undefined || from === to ? text : text + words.t('otherTerminal', { from, to });
}

export function flightNumber({ marketingCarrier, flightNumber }: ShownSegment): string {
  return `${marketingCarrier.iataCode} ${flightNumber}`;
}

/** The “+1” beside an arrival: calendar days, both dates local. */
export function plusView(departingAt: string, arrivingAt: string, words: Words): object {
  const days = Math.round((Date.parse(arrivingAt.slice(0, 10)) - Date.parse(departingAt.slice(0, 10))) / 86_400_000);
  if (days === 0) return {};
  return {
    plusDays: days > 0 ? `+${days}` : `−${-days}`,
    plusDaysTitle: words.t(`plus.${days < 0 ? 'before' : days === 1 ? 'one' : 'later'}`, { count: days }),
  };
}

/** What the partial `price` shows. */
export function priceView(price: BookingPrice, words: Words): object {
  return {
    base: words.money(price.base),
    taxes: price.taxes.map((tax) => ({ code: tax.code, name: words.tax(tax.name), amount: words.money(tax) })),
    fees: words.money(price.fees),
    total: words.money(price.total),
  };
}

/** What each pays, where several travel: `Adult EUR 120.40, infant EUR 12.00`. */
export function fareEach(passengers: readonly PassengerFare[], words: Words): string | undefined {
  if (passengers.length < 2) return undefined;
  const fares = passengers.map(({ type, total }) => `${words.t(`passengers.${type}`)} ${words.money(total)}`);
  return words.t('pay.each', { fares: [...new Set(fares)].join(', ') });
}

/** What the partial `baggage` shows: flights with the same allowance stand together. */
export function baggageView(segments: readonly ShownSegment[], words: Words): readonly object[] {
  const groups = new Map<string, { readonly flights: string[]; readonly segment: ShownSegment }>();
  for (const segment of segments) {
    const key = JSON.stringify(segment.baggage);
    const group = groups.get(key) ?? { flights: [], segment };
    group.flights.push(flightNumber(segment));
    groups.set(key, group);
  }
  return [...groups.values()].map(({ flights, segment }) => ({
    flights: groups.size === 1 ? words.t('onEvery') : flights.join(', '),
    allowances: segment.baggage.map((allowance) => ({
      kind: words.t(`passengers.${allowance.passengerType}`),
      text: words.baggage(allowance),
    })),
  }));
}

export function conditionsView(conditions: FareConditions, words: Words): readonly string[] {
  return [
    words.condition('changes', conditions.changeBeforeDeparture),
    words.condition('refund', conditions.refundBeforeDeparture),
  ];
}
