import { toWire } from '../money/money.js';
import { dayChange, toIsoDuration } from '../times/local-time.js';
import { arrivalOf, departureOf, firstFlight, lastFlight, totalMinutes } from '../timetable/flight.js';
import type { OfferDto } from './offer.dto.js';
import type { IdentifiedOffer } from './offers.service.js';
import { conditionsToWire, priceToWire, segmentToWire, taxToWire } from './wire.js';

export function offerToDto({ id, offer }: IdentifiedOffer): OfferDto {
  const { selection, validatingCarrier, price } = offer;
  return {
    id,
    expiresAt: offer.expiresAt.toISOString(),
    cabin: selection.cabin,
    fareBrand: selection.brand,
    validatingCarrier: { iataCode: validatingCarrier.iataCode, name: validatingCarrier.name },
    slices: offer.slices.map((slice, index) => ({
      duration: toIsoDuration(totalMinutes(slice)),
      stops: slice.flights.length - 1,
      dayChange: dayChange(departureOf(firstFlight(slice)), arrivalOf(lastFlight(slice))),
      segments: offer.segments
        .filter((segment) => segment.slice === index)
        .map((segment) => segmentToWire(segment, offer)),
    })),
    passengers: offer.passengers.map(({ type, base, taxes, total }) => ({
      type,
      base: toWire(base),
      taxes: taxes.map(taxToWire),
      total: toWire(total),
    })),
    price: priceToWire(price),
    total: toWire(price.total),
    conditions: conditionsToWire(offer.conditions),
  };
}
