import type { BookingSnapshot } from '@eticket/contracts';
import type { MailStatusRow } from '../mail-status/mail-status.repository.js';
import type { BookingDto } from './booking.dto.js';
import { mailToDto } from './mail-to-dto.js';

export function bookingToDto(
  snapshot: BookingSnapshot,
  state: {
    readonly status: 'ticketed';
    readonly version: number;
    readonly mail: MailStatusRow | undefined;
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
