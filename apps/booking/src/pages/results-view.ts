import type { OfferDto } from '../offers/offer.dto.js';
import { Form, type Field, type FormValues } from './fields.js';
import {
  baggageView,
  conditionsView,
  fareEach,
  flightNumber,
  minutesBetween,
  plusView,
  priceView,
} from './itinerary-view.js';
import type { Words } from './words.js';

const SORTS = ['price', 'duration', 'departure'] as const;
const STOPS = ['any', 'nonstop'] as const;
const WANTS = ['any', 'withBag', 'refundable'] as const;
type Sort = (typeof SORTS)[number];

/** One journey in all its fares, the cheapest first. */
interface Journey {
  readonly fares: readonly [OfferDto, ...OfferDto[]];
}

export function resultsView(offers: readonly OfferDto[], values: FormValues, words: Words): object {
  const sort = SORTS.find((each) => each === values.sort) ?? 'price';
  const journeys = sorted(journeysOf(offers.filter((offer) => isWanted(offer, values))), sort);
  const { length: count } = journeys;
  return {
    noOffers: offers.length === 0,
    noneLeft: count === 0,
    count: count === 1 ? words.t('results.one') : words.t('results.count', { count }),
    filters: filterFields(values, words),
    journeys: journeys.map((journey) => journeyView(journey, words)),
  };
}

function isWanted(offer: OfferDto, { stops, want }: FormValues): boolean {
  if (stops === 'nonstop' && offer.slices.some((slice) => slice.stops > 0)) return false;
  if (want === 'refundable') return offer.conditions.refundBeforeDeparture.allowed;
  if (want !== 'withBag') return true;
  return offer.slices.every(({ segments }) =>
    segments.every(({ baggage }) => baggage.every(({ checkedPieces }) => checkedPieces > 0)),
  );
}

function journeysOf(offers: readonly OfferDto[]): readonly Journey[] {
  const byFlights = new Map<string, [OfferDto, ...OfferDto[]]>();
  for (const offer of offers) {
    const key = JSON.stringify(segmentsOf(offer).map((segment) => [flightNumber(segment), segment.departingAt]));
    const fares = byFlights.get(key);
    if (fares) fares.push(offer);
    else byFlights.set(key, [offer]);
  }
  return [...byFlights.values()].map((fares) => ({ fares }));
}

function segmentsOf(offer: OfferDto) {
  return offer.slices.flatMap((slice) => slice.segments);
}

function sorted(journeys: readonly Journey[], sort: Sort): readonly Journey[] {
  // Offers come by price, and a stable sort keeps that among equals.
  if (sort === 'price') return journeys;
  const measure = ({ fares: [offer] }: Journey): number =>
    sort === 'departure'
      ? Date.parse(offer.slices[0]?.segments[0]?.departingAt ?? '')
      : offer.slices.reduce((all, { segments }) => all + sliceMinutes(segments), 0);
  return [...journeys].sort((one, other) => measure(one) - measure(other));
}

function sliceMinutes(segments: OfferDto['slices'][number]['segments']): number {
  return minutesBetween(segments[0]?.departingAt ?? '', segments.at(-1)?.arrivingAt ?? '');
}

function filterFields(values: FormValues, words: Words): readonly Field[] {
  const form = new Form({ sort: 'price', stops: 'any', want: 'any', ...values }, new Map(), words);
  const choice = (name: string, choices: readonly string[]): Field =>
    form.field({
      name,
      label: words.t(`results.${name}`),
      choices: choices.map((each) => [each, words.t(`results.${each}`)] as const),
    });
  return [choice('sort', SORTS), choice('stops', STOPS), choice('want', WANTS)];
}

function journeyView({ fares }: Journey, words: Words): object {
  const [offer] = fares;
  const flights = segmentsOf(offer).map(flightNumber).join(', ');
  return {
    name: `${offer.validatingCarrier.name} · ${flights}`,
    slices: offer.slices.map((slice) => legView(slice, words)),
    fares: fares.map((fare) => fareView(fare, flights, words)),
  };
}

function legView({ segments, stops }: OfferDto['slices'][number], words: Words): object {
  const [first, last] = [segments[0], segments.at(-1)];
  if (!first || !last) return {};
  const via = segments.slice(1).map((segment) => words.city(segment.origin.cityName));
  return {
    departingAt: first.departingAt,
    arrivingAt: last.arrivingAt,
    departure: words.placeTime(first.departingAt).time,
    arrival: words.placeTime(last.arrivingAt).time,
    ...plusView(first.departingAt, last.arrivingAt, words),
    ends: `${first.origin.iataCode} – ${last.destination.iataCode}`,
    duration: words.minutes(sliceMinutes(segments)),
    stops: [words.stops(stops), ...via].join(', '),
    flights: words.placeTime(first.departingAt).date,
  };
}

function fareView(offer: OfferDto, flights: string, words: Words): object {
  const brand = words.t(`fares.${offer.fareBrand}`);
  const total = words.money(offer.total);
  const adult = segmentsOf(offer)[0]?.baggage[0];
  return {
    id: offer.id,
    brand,
    total,
    flight: flights,
    gists: [
      ...(adult ? [words.bags(adult.checkedPieces, adult.checkedKg, 'checked')] : []),
      words.refundGist(offer.conditions.refundBeforeDeparture),
    ],
    fareEach: fareEach(offer.passengers, words),
    details: words.t('results.details', { fare: brand }),
    price: priceView(offer.price, words),
    baggage: baggageView(segmentsOf(offer), words),
    conditions: conditionsView(offer.conditions, words),
  };
}
