import type { Cabin } from '@eticket/contracts';
import type { KnownAirport } from '../airports/airports.js';
import type { Currency } from '../money/currency.js';
import { itinerariesBetween, minimumConnectionMinutes } from '../timetable/connections.js';
import { firstFlight, lastFlight, totalMinutes, type Itinerary } from '../timetable/flight.js';
import { FARE_BRANDS } from './fare-brands.js';
import { offerWindow, SALES_CLOSE_MS } from './offer-lifetime.js';
import type { Offer, PassengerCounts } from './offer.js';
import { hasCabin, priceOffer } from './price-offer.js';

/** A search whose values exist and fit each other. */
export interface OfferSearch {
  readonly origin: KnownAirport;
  readonly destination: KnownAirport;
  /** Local dates, `YYYY-MM-DD`. */
  readonly departureDate: string;
  readonly returnDate: string | undefined;
  readonly counts: PassengerCounts;
  readonly cabin: Cabin;
  readonly currency: Currency;
}

const ITINERARIES_PER_DIRECTION = 12;
/** Times three fares: as much as one answer shows. */
const JOURNEYS = 12;

/** All offers for a search at a time of day, cheapest first. */
export function searchOffers(search: OfferSearch, now: Date): readonly Offer[] {
  const madeAt = offerWindow(now);
  const { cabin, currency, counts } = search;
  const offers = journeysOf(search, now).flatMap((slices) =>
    FARE_BRANDS.map((brand) => {
      const keys = slices.map((slice) => slice.flights.map((flight) => flight.key));
      return priceOffer({ madeAt, slices: keys, cabin, brand, counts, currency }, slices);
    }),
  );
  // A stable sort: journeys of the same price stay in the order of their departures.
  return offers.sort((one, other) => Number(one.price.total.minor - other.price.total.minor));
}

function journeysOf(search: OfferSearch, now: Date): readonly (readonly [Itinerary, ...Itinerary[]])[] {
  const { origin, destination, departureDate, returnDate, cabin } = search;
  const notBefore = new Date(now.getTime() + SALES_CLOSE_MS);
  const find = (from: KnownAirport, to: KnownAirport, date: string): readonly Itinerary[] =>
    itinerariesBetween(from, to, date, notBefore, (itinerary) => hasCabin(itinerary, cabin)).slice(
      0,
      ITINERARIES_PER_DIRECTION,
    );
  const outbound = find(origin, destination, departureDate);
  if (returnDate === undefined) return outbound.slice(0, JOURNEYS).map((itinerary) => [itinerary]);
  const inbound = find(destination, origin, returnDate);
  return outbound
    .flatMap((out) => inbound.filter((back) => canReturn(out, back)).map((back) => [out, back] as const))
    .sort(([a, b], [c, d]) => minutesOf(a, b) - minutesOf(c, d))
    .slice(0, JOURNEYS);
}

function minutesOf(out: Itinerary, back: Itinerary): number {
  return totalMinutes(out) + totalMinutes(back);
}

/** Both ways with one airline, and time to turn round where both are on one day. */
function canReturn(out: Itinerary, back: Itinerary): boolean {
  const arrival = lastFlight(out);
  const departure = firstFlight(back);
  const between = (departure.departsMs - arrival.arrivesMs) / 60_000;
  return arrival.airline === departure.airline && between >= minimumConnectionMinutes(arrival, departure);
}
