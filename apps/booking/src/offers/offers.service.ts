import { Injectable } from '@nestjs/common';
import { ProblemError } from '../problems/problem.js';
import { validateFields } from '../problems/validate-fields.js';
import { SecretKeys } from '../security/secret-keys.js';
import { Clock } from '../times/clock.js';
import { firstFlight, type Flight, type Itinerary } from '../timetable/flight.js';
import { findFlight } from '../timetable/timetable.js';
import { readCursor, writeCursor } from './offer-cursor.js';
import { offerExpiry, offerWindow } from './offer-lifetime.js';
import { offerToDto } from './offer-to-dto.js';
import { openOffer, sealOffer, type SealedOffer } from './offer-seal.js';
import type { Offer } from './offer.js';
import { priceOffer } from './price-offer.js';
import { readSearch } from './read-search.js';
import { searchOffers } from './search-offers.js';
import { PAGE_SIZE, SearchOffersQuery } from './search-offers.query.js';

export interface IdentifiedOffer {
  readonly id: string;
  readonly offer: Offer;
}

export interface OfferPage {
  readonly offers: readonly IdentifiedOffer[];
  readonly limit: number;
  /** On all pages. */
  readonly total: number;
  /** Of the next page, if there is one. */
  readonly after: string | undefined;
}

/** Why an id gives no offer. */
export type OfferRefusal = 'unknown' | 'expired' | 'gone' | 'price_changed';

export type OfferLookup =
  | { readonly found: true; readonly offer: Offer }
  | { readonly found: false; readonly why: Exclude<OfferRefusal, 'price_changed'> }
  | { readonly found: false; readonly why: 'price_changed'; readonly offer: Offer };

@Injectable()
export class OffersService {
  constructor(
    private readonly keys: SecretKeys,
    private readonly clock: Clock,
  ) {}

  /** One page of what a search finds. @throws ProblemError 422 that names every bad parameter. */
  async search(query: unknown): Promise<OfferPage> {
    const now = this.clock.now();
    const fields = validateFields(SearchOffersQuery, query);
    const search = readSearch(fields, now);
    const { searchedAt, offset } =
      fields.after === undefined ? { searchedAt: now, offset: 0 } : readCursor(fields.after, now);
    const limit = Number(fields.limit ?? PAGE_SIZE);
    const key = await this.keys.key('offer');
    const found = searchOffers(search, searchedAt);
    const end = offset + limit;
    return {
      offers: found.slice(offset, end).map((offer) => identified(offer, key)),
      limit,
      total: found.length,
      after: end < found.length ? writeCursor({ searchedAt, offset: end }) : undefined,
    };
  }

  /** The same offer, priced again. @throws ProblemError 404 or 409. */
  async find(id: string): Promise<IdentifiedOffer> {
    const lookup = await this.look(id);
    if (lookup.found) return { id, offer: lookup.offer };
    if (lookup.why === 'unknown') throw new ProblemError('offer_not_found', 'We have made no such offer.');
    throw await this.refusal(lookup, id);
  }

  /** What the id says, however long ago it was offered. @throws ProblemError 404, or 409 where it no longer flies. */
  async whatever(id: string): Promise<IdentifiedOffer> {
    const sealed = openOffer(id, await this.keys.key('offer'));
    if (!sealed) throw new ProblemError('offer_not_found', 'We have made no such offer.');
    const slices = itinerariesOf(sealed);
    if (!slices) throw await this.refusal({ found: false, why: 'gone' }, id);
    return { id, offer: priceOffer(sealed.selection, slices) };
  }

  /** The offer that a booking is for. @throws ProblemError 409 for whatever reason it cannot be had. */
  async forBooking(id: string): Promise<Offer> {
    const lookup = await this.look(id);
    if (lookup.found) return lookup.offer;
    throw await this.refusal(lookup, id);
  }

  private async refusal(lookup: Extract<OfferLookup, { readonly found: false }>, id: string): Promise<ProblemError> {
    if (lookup.why === 'price_changed') {
      // Sealed at its new price, and for as long as any new offer: it can be booked as it stands.
      const selection = { ...lookup.offer.selection, madeAt: offerWindow(this.clock.now()) };
      const offer = { ...lookup.offer, selection, expiresAt: offerExpiry(selection.madeAt) };
      const members = { offer: offerToDto(identified(offer, await this.keys.key('offer'))) };
      return new ProblemError('price_changed', 'The price has changed since the search; `offer` has the new one.', {
        members,
      });
    }
    const detail = {
      unknown: 'We have made no such offer; please search again.',
      expired: 'The offer has expired; please search again.',
      gone: 'The flights of this offer are no longer for sale; please search again.',
    }[lookup.why];
    return new ProblemError('offer_no_longer_available', detail, {
      errors: [{ pointer: '/offerId', code: `offer_${lookup.why}`, message: 'is no longer available' }],
      ...(lookup.why !== 'unknown' && { again: searchPage(openOffer(id, await this.keys.key('offer'))) }),
    });
  }

  private async look(id: string): Promise<OfferLookup> {
    const sealed = openOffer(id, await this.keys.key('offer'));
    if (!sealed) return { found: false, why: 'unknown' };
    const now = this.clock.now();
    if (now >= offerExpiry(sealed.selection.madeAt)) return { found: false, why: 'expired' };
    const slices = itinerariesOf(sealed);
    if (!slices || firstFlight(slices[0]).departsMs <= now.getTime()) return { found: false, why: 'gone' };
    const offer = priceOffer(sealed.selection, slices);
    if (offer.price.total.minor !== sealed.totalMinor) return { found: false, why: 'price_changed', offer };
    return { found: true, offer };
  }
}

function identified(offer: Offer, key: Buffer): IdentifiedOffer {
  return { id: sealOffer({ selection: offer.selection, totalMinor: offer.price.total.minor }, key), offer };
}

/** The page with the search that an offer was found by. */
function searchPage(sealed: SealedOffer | undefined): string {
  const [out, back] = sealed?.selection.slices ?? [];
  if (!sealed || !out) return '/';
  const { counts, cabin, currency } = sealed.selection;
  const query = new URLSearchParams({
    origin: out[0]?.origin ?? '',
    destination: out.at(-1)?.destination ?? '',
    departureDate: out[0]?.date ?? '',
    ...(back?.[0] && { returnDate: back[0].date }),
    adults: String(counts.adults),
    children: String(counts.children),
    infants: String(counts.infants),
    cabin,
    currency: currency.code,
  });
  return `/flights?${query.toString()}`;
}

/** Undefined when a flight has left the timetable (of a later release) since the offer was made. */
function itinerariesOf({ selection }: SealedOffer): readonly [Itinerary, ...Itinerary[]] | undefined {
  const slices = selection.slices.map((keys): Itinerary | undefined => {
    const flights = keys.map(findFlight).filter((flight): flight is Flight => flight !== undefined);
    const [first, second] = flights;
    if (!first || flights.length !== keys.length) return undefined;
    return { flights: second ? [first, second] : [first] };
  });
  const [first, ...rest] = slices.filter((slice): slice is Itinerary => slice !== undefined);
  return first && rest.length + 1 === slices.length ? [first, ...rest] : undefined;
}
