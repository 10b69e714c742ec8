import type { BookingSnapshot } from '@eticket/contracts';
import type { MailStatusRow } from '../mail-status/mail-status.repository.js';
import { toWire } from '../money/money.js';
import type { BookingState } from './booking-states.js';
import type { BookingDto, CancellationDto } from './booking.dto.js';
import type { Cancellation } from './bookings.repository.js';
import { mailToDto } from './mail-to-dto.js';

export function bookingToDto(
  snapshot: BookingSnapshot,
  state: {
    readonly status: BookingState;
    readonly version: number;
    readonly mail: MailStatusRow | undefined;
    readonly cancellation?: Cancellation | undefined;
  },
): BookingDto {
  const { id, reference, issuedAt, locale, validatingCarrier, price, passengers, segments } = snapshot;
  return {
    id,
    reference,
    status: state.status,
    version: state.version,
    issuedAt,
    locale,
    validatingCarrier,
    total: price.total,
    price,
    passengers,
    segments,
    conditions: snapshot.conditions,
    payment: snapshot.payment,
    contact: snapshot.contact,
    mail: mailToDto(state.mail),
    ...(state.cancellation && { cancellation: cancellationToDto(state.cancellation) }),
  };
}

function cancellationToDto({ cancelledAt, refund, refundedAt }: Cancellation): CancellationDto {
  const state = refund.minor === 0n ? 'none' : refundedAt ? 'paid' : 'due';
  return { cancelledAt: cancelledAt.toISOString(), refund: toWire(refund), refundState: state };
}
