import type { Airline, Airport, Cabin, TicketedPassenger, TicketedSegment } from '@eticket/contracts';
import type { MailOccasion } from '../receipt/mail-occasion.js';

/** What reservations are made from. */
export type ReservationsOccasion = Pick<MailOccasion, 'kind' | 'booking' | 'occurredAt'>;

const CABIN_NAMES: Readonly<Record<Cabin, string>> = {
  economy: 'Economy',
  premium_economy: 'Premium Economy',
  business: 'Business',
  first: 'First',
};

/**
 * Each passenger's reservation on each flight, as schema.org's FlightReservation: what mail programs make their travel
 * cards from. A superset of what its readers ask for: Google `reservationNumber`, `airline` and `iataCode`
 * (developers.google.com/workspace/gmail/markup/reference/types/FlightReservation), Apple `reservationId`, Yandex
 * `provider`. No `ticketToken`: Google Wallet would take it for a boarding pass.
 */
export function flightReservations(occasion: ReservationsOccasion) {
  const { passengers, segments } = occasion.booking;
  return passengers.flatMap((passenger) => segments.map((segment) => reservation(occasion, passenger, segment)));
}

function reservation(
  { kind, booking, occurredAt }: ReservationsOccasion,
  passenger: TicketedPassenger,
  segment: TicketedSegment,
) {
  return {
    '@context': 'https://schema.org',
    '@type': 'FlightReservation',
    reservationNumber: booking.reference,
    reservationId: booking.reference,
    reservationStatus: `https://schema.org/Reservation${kind === 'cancelled' ? 'Cancelled' : 'Confirmed'}`,
    underName: { '@type': 'Person', name: `${passenger.givenName} ${passenger.familyName}` },
    bookingAgent: { '@type': 'Organization', name: booking.issuedBy.name },
    bookingTime: booking.issuedAt,
    modifiedTime: occurredAt,
    url: booking.manageUrl,
    modifyReservationUrl: booking.manageUrl,
    ticketNumber: passenger.ticketNumber,
    airplaneSeatClass: { '@type': 'AirplaneSeatClass', name: CABIN_NAMES[segment.cabin] },
    reservationFor: {
      '@type': 'Flight',
      flightNumber: segment.flightNumber,
      airline: airline(segment.marketingCarrier),
      provider: airline(segment.marketingCarrier),
      operatedBy: airline(segment.operatingCarrier),
      departureAirport: airport(segment.origin),
      ...(segment.origin.terminal ? { departureTerminal: segment.origin.terminal } : {}),
      departureTime: segment.departingAt,
      arrivalAirport: airport(segment.destination),
      ...(segment.destination.terminal ? { arrivalTerminal: segment.destination.terminal } : {}),
      arrivalTime: segment.arrivingAt,
    },
  };
}

function airline({ name, iataCode }: Airline) {
  return { '@type': 'Airline', name, iataCode };
}

function airport({ name, iataCode }: Airport) {
  return { '@type': 'Airport', name, iataCode };
}

/** JSON for a `script` element: no `<` in it, so that no value can end the element. */
export function jsonForScript(value: unknown): string {
  return JSON.stringify(value).replace(/</g, '\\u003c');
}
