import type { BookingSnapshot, FormOfPayment, TicketedPassenger } from '@eticket/contracts';
import { readEmail } from '../contact/email-address.js';
import { readPhone } from '../contact/phone-number.js';
import { toWire } from '../money/money.js';
import type { Offer } from '../offers/offer.js';
import { conditionsToWire, priceToWire, segmentToWire, taxToWire } from '../offers/wire.js';
import { ticketName } from '../passengers/person-name.js';
import { ticketNumber } from '../tickets/ticket-number.js';
import type { CreateBookingDto } from './create-booking.dto.js';
import { ISSUING_AGENT } from './issuing-agent.js';
import { localNames } from './local-names.js';

/** What a booking is made of, all checked. */
export interface BookingParts {
  readonly id: string;
  readonly reference: string;
  readonly request: CreateBookingDto;
  readonly offer: Offer;
  readonly payment: FormOfPayment;
  /** One for each passenger. */
  readonly ticketSerials: readonly number[];
  readonly issuedAt: Date;
  readonly publicUrl: string;
}

/** All that e-ticket and page show of a booking. */
export function bookingSnapshot(parts: BookingParts): BookingSnapshot {
  const { id, reference, request, offer, payment, issuedAt, publicUrl } = parts;
  const { validatingCarrier } = offer;
  const email = readEmail(request.contact.email);
  const phone = readPhone(request.contact.phone);
  if (!email.ok || phone === undefined) throw new RangeError('The contact was not checked');
  const snapshot: BookingSnapshot = {
    id,
    reference,
    locale: Intl.getCanonicalLocales(request.locale ?? 'en')[0] ?? 'en',
    issuedAt: issuedAt.toISOString(),
    issuedBy: ISSUING_AGENT,
    validatingCarrier: { iataCode: validatingCarrier.iataCode, name: validatingCarrier.name },
    manageUrl: `${publicUrl}/bookings/${id}`,
    contact: { email: email.address, phone },
    passengers: ticketedPassengers(parts),
    segments: offer.segments.map((segment) => ({ ...segmentToWire(segment, offer), status: 'OK' as const })),
    price: priceToWire(offer.price),
    payment,
    conditions: conditionsToWire(offer.conditions),
  };
  const names = localNames(snapshot);
  return names ? { ...snapshot, localNames: names } : snapshot;
}

/** In the order of the request; each has the fare of its type. */
function ticketedPassengers({ request, offer, ticketSerials }: BookingParts): readonly TicketedPassenger[] {
  return request.passengers.map((passenger, index) => {
    const { type, title, givenName, familyName, infantOf } = passenger;
    const fare = offer.passengers.find((each) => each.type === type);
    const serial = ticketSerials[index];
    if (!fare || serial === undefined) throw new RangeError('The passengers were not matched with the offer');
    return {
      type,
      title,
      givenName,
      familyName,
      ticketName: ticketName(passenger),
      ticketNumber: ticketNumber(offer.validatingCarrier.accountingCode, serial),
      ...(infantOf !== undefined && { infantOf }),
      base: toWire(fare.base),
      taxes: fare.taxes.map(taxToWire),
      total: toWire(fare.total),
    };
  });
}
