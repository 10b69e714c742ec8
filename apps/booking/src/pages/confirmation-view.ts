import type { BookingSnapshot } from '@eticket/contracts';
import { mailToDto } from '../bookings/mail-to-dto.js';
import type { StoredBooking } from '../bookings/bookings.repository.js';
import { toWire } from '../money/money.js';
import { baggageView, conditionsView, flightsView, priceView, routeText } from './itinerary-view.js';
import { mailView, type MailView } from './mail-view.js';
import { CARD_NAMES, type Words } from './words.js';

/** All that the confirmation page's template shows, as text. */
export interface ConfirmationView {
  readonly id: string;
  readonly reference: string;
  readonly mail: MailView;
}

export function confirmationView(booking: StoredBooking, words: Words): ConfirmationView {
  const { snapshot } = booking;
  const { payment, segments } = snapshot;
  const view = {
    route: routeText(segments, words),
    issued: words.utc(snapshot.issuedAt),
    cancellation: refundText(booking, words),
    slices: flightsView(segments, words),
    passengers: snapshot.passengers.map((passenger) => ({
      name: `${passenger.givenName} ${passenger.familyName}`,
      kind: kindText(passenger, snapshot, words),
      ticketName: passenger.ticketName,
      ticketNumber: `${passenger.ticketNumber.slice(0, 3)}-${passenger.ticketNumber.slice(3)}`,
      total: words.money(passenger.total),
    })),
    price: priceView(snapshot.price, words),
    payment: words.t('booking.paidWith', {
      card: CARD_NAMES[payment.brand],
      last4: payment.last4,
      code: payment.approvalCode,
    }),
    baggage: baggageView(segments, words),
    conditions: conditionsView(snapshot.conditions, words),
    endorsements: snapshot.conditions.endorsements,
  };
  return { id: snapshot.id, reference: snapshot.reference, mail: mailViewOf(booking, words), ...view };
}

/** The line about the mail: of the e-ticket, or of its cancellation. */
export function mailViewOf({ snapshot, mail, status }: StoredBooking, words: Words): MailView {
  return mailView(mailToDto(mail), { email: snapshot.contact.email, status }, words);
}

function refundText({ cancellation }: StoredBooking, words: Words): string | undefined {
  if (!cancellation) return undefined;
  const { refund, refundedAt } = cancellation;
  if (refund.minor === 0n) return words.t('booking.refundNone');
  return `${words.money(toWire(refund))}, ${words.t(refundedAt ? 'booking.refundPaid' : 'booking.refundDue')}`;
}

function kindText(
  passenger: BookingSnapshot['passengers'][number],
  { passengers }: BookingSnapshot,
  words: Words,
): string {
  const adult = passenger.infantOf === undefined ? undefined : passengers[passenger.infantOf];
  if (!adult) return words.t(`passengers.${passenger.type}`);
  return words.t('onLap', { name: `${adult.givenName} ${adult.familyName}` });
}
