import type { BookingSnapshot, TaxAmount } from '@eticket/contracts';
import { receiptLocale } from './receipt-language.js';

/**
 * The booking with its cities, taxes and the agent's place as they are called in the language of its mail, where the event
 * names them in that language. A mail in another language has them as they are.
 */
export function withLocalNames(booking: BookingSnapshot): BookingSnapshot {
  const { localNames, segments, passengers, price, issuedBy } = booking;
  if (!localNames || localNames.language !== receiptLocale(booking.locale).language) return booking;
  const known = new Map(localNames.names.map(({ name, localName }) => [name, localName]));
  const local = (name: string): string => known.get(name) ?? name;
  const taxes = (all: readonly TaxAmount[]): readonly TaxAmount[] =>
    all.map((tax) => ({ ...tax, name: local(tax.name) }));
  return {
    ...booking,
    issuedBy: { ...issuedBy, place: local(issuedBy.place) },
    passengers: passengers.map((passenger) => ({ ...passenger, taxes: taxes(passenger.taxes) })),
    segments: segments.map(({ origin, destination, ...segment }) => ({
      ...segment,
      origin: { ...origin, cityName: local(origin.cityName) },
      destination: { ...destination, cityName: local(destination.cityName) },
    })),
    price: { ...price, taxes: taxes(price.taxes) },
  };
}
