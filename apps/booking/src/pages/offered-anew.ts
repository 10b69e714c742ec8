import type { OfferDto } from '../offers/offer.dto.js';
import { offerToDto } from '../offers/offer-to-dto.js';
import type { OffersService } from '../offers/offers.service.js';
import { ProblemError } from '../problems/problem.js';
import { flightNumber } from './itinerary-view.js';

/**
 * The same flights in the same fare, at what they cost now, where `error` says that `offer` has another price or has
 * expired: after a long pause nothing is typed again. Undefined where it says something else, or they are no longer sold.
 */
export async function offeredAnew(
  offers: OffersService,
  offer: OfferDto,
  error: unknown,
): Promise<OfferDto | undefined> {
  if (!(error instanceof ProblemError)) return undefined;
  if (error.code === 'price_changed') return error.members.offer as OfferDto;
  if (error.errors?.[0]?.code !== 'offer_expired' || error.again === undefined) return undefined;
  const query = Object.fromEntries(new URLSearchParams(error.again.split('?')[1]));
  try {
    const found = (await offers.search(query)).offers.map(offerToDto);
    return found.find((each) => each.fareBrand === offer.fareBrand && flightsOf(each) === flightsOf(offer));
  } catch (refused) {
    // Its day is over.
    if (refused instanceof ProblemError) return undefined;
    throw refused;
  }
}

function flightsOf({ slices }: OfferDto): string {
  const segments = slices.flatMap((slice) => slice.segments);
  return segments.map((segment) => `${flightNumber(segment)} ${segment.departingAt}`).join();
}
