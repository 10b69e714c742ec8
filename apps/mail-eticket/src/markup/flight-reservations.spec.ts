import { BOOKING_SHAPE_NAMES, cancelledEvent, eticketEvent, eticketEventWithIds } from '../testing/eticket-fixtures.js';
import { mailOccasion } from '../receipt/mail-occasion.js';
import { flightReservations, jsonForScript } from './flight-reservations.js';

/** Google's page on FlightReservation, every property marked required. */
const REQUIRED_BY_GOOGLE = [
  'reservationNumber',
  'reservationStatus',
  'underName.name',
  'reservationFor.flightNumber',
  'reservationFor.airline.name',
  'reservationFor.airline.iataCode',
  'reservationFor.departureAirport.name',
  'reservationFor.departureAirport.iataCode',
  'reservationFor.departureTime',
  'reservationFor.arrivalAirport.name',
  'reservationFor.arrivalAirport.iataCode',
  'reservationFor.arrivalTime',
];

const at = (value: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((inner, name) => (inner as Record<string, unknown> | undefined)?.[name], value);

describe.each(BOOKING_SHAPE_NAMES)('The reservations of a booking with %s', (shape) => {
  const event = eticketEventWithIds('0198a000-0000-7000-8000-0000000000e1', shape);
  const { booking } = event;
  const reservations = flightReservations(mailOccasion(event));

  it('are one a passenger and flight', () => {
    expect(
      reservations.map(({ ticketNumber, reservationFor }) => `${ticketNumber} ${reservationFor.departureTime}`),
    ).toEqual(
      booking.passengers.flatMap(({ ticketNumber }) =>
        booking.segments.map(({ departingAt }) => `${ticketNumber} ${departingAt}`),
      ),
    );
  });

  it('have everything that Google requires, and every type', () => {
    for (const reservation of reservations) {
      expect(reservation['@context']).toBe('https://schema.org');
      expect(reservation['@type']).toBe('FlightReservation');
      for (const path of REQUIRED_BY_GOOGLE)
        expect([path, at(reservation, path)]).toEqual([path, expect.stringMatching(/./)]);
      for (const path of [
        'underName',
        'reservationFor',
        'reservationFor.airline',
        'reservationFor.departureAirport',
        'reservationFor.arrivalAirport',
      ]) {
        expect([path, at(reservation, `${path}.@type`)]).toEqual([path, expect.stringMatching(/^[A-Z]/)]);
      }
    }
  });

  it('say what the booking says', () => {
    reservations.forEach((reservation, index) => {
      const segment = booking.segments[index % booking.segments.length]!;
      const passenger = booking.passengers[Math.floor(index / booking.segments.length)]!;
      expect(reservation).toMatchObject({
        reservationNumber: booking.reference,
        reservationStatus: 'https://schema.org/ReservationConfirmed',
        underName: { name: `${passenger.givenName} ${passenger.familyName}` },
        modifyReservationUrl: booking.manageUrl,
        reservationFor: {
          flightNumber: segment.flightNumber,
          airline: segment.marketingCarrier,
          operatedBy: segment.operatingCarrier,
          departureAirport: { iataCode: segment.origin.iataCode, name: segment.origin.name },
          departureTime: segment.departingAt,
          arrivalAirport: { iataCode: segment.destination.iataCode, name: segment.destination.name },
          arrivalTime: segment.arrivingAt,
        },
      });
      expect(reservation.reservationFor.departureTerminal).toBe(segment.origin.terminal);
    });
  });
});

it('Reservations of a cancelled booking are cancelled', () => {
  const reservations = flightReservations(mailOccasion(cancelledEvent(eticketEvent())));
  expect(new Set(reservations.map(({ reservationStatus }) => reservationStatus))).toEqual(
    new Set(['https://schema.org/ReservationCancelled']),
  );
});

describe('The reservations in a script element', () => {
  it('cannot end it', () => {
    const { booking, ...event } = eticketEvent();
    const issuedBy = { ...booking.issuedBy, name: '</script><script>alert(1)//<!--' };
    const json = jsonForScript(flightReservations(mailOccasion({ ...event, booking: { ...booking, issuedBy } })));
    expect(json).not.toContain('<');
    expect((JSON.parse(json) as { bookingAgent: { name: string } }[])[0]?.bookingAgent.name).toBe(issuedBy.name);
  });
});
