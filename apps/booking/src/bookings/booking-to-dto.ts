import type { BookingSnapshot } from '@eticket/contracts';
import type { Selectable } from 'kysely';
import type { MailStatusTable } from '../database/booking-database.js';
import type { BookingDto, MailDto } from './booking.dto.js';

export function bookingToDto(
  snapshot: BookingSnapshot,
  state: {
    readonly status: 'ticketed';
    readonly version: number;
    readonly mail: Selectable<MailStatusTable> | undefined;
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
  };
}

/** A booking of which no worker has said anything yet is queued. */
export function mailToDto(row: Selectable<MailStatusTable> | undefined): MailDto {
  if (!row) return { status: 'queued' };
  return {
    status: row.status,
    ...(row.sent_at && { sentAt: row.sent_at.toISOString() }),
    ...(row.message_id !== null && { messageId: row.message_id }),
    ...(row.next_try_at && { nextTryAt: row.next_try_at.toISOString() }),
    ...(row.reason !== null && { reason: row.reason }),
  };
}
