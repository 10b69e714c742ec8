import { toWire } from '../money/money.js';
import type { OfferDto } from './offer.dto.js';
import type { IdentifiedOffer } from './offers.service.js';
import { conditionsToWire, fareToWire, priceToWire, segmentToWire, sliceToWire } from './wire.js';

export function offerToDto({ id, offer }: IdentifiedOffer): OfferDto {
  const { selection, validatingCarrier, price } = offer;
  return {
    id,
    expiresAt: offer.expiresAt.toISOString(),
    cabin: selection.cabin,
    fareBrand: selection.brand,
    validatingCarrier: { iataCode: validatingCarrier.iataCode, name: validatingCarrier.name },
    slices: offer.slices.map((slice, index) => ({
      ...sliceToWire(slice),
      segments: offer.segments
        .filter((segment) => segment.slice === index)
        .map((segment) => segmentToWire(segment, offer)),
    })),
    passengers: offer.passengers.map(fareToWire),
    price: priceToWire(price),
    total: toWire(price.total),
    conditions: conditionsToWire(offer.conditions),
  };
}
