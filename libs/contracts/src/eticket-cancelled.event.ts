import { Equals } from 'class-validator';
import { BookingSnapshot, VersionedEvent } from './booking-snapshot.js';
import { Money } from './money.js';
import { Nested } from './nested.js';
import { QUEUES } from './queues.js';

/**
 * Recorded in the transaction that cancels a booking, `occurredAt` being when; handled by the `mail-eticket` group. Its
 * version is higher than that of every e-ticket sent before: an e-ticket that comes later than this mail is not sent.
 */
export class EticketCancelledEvent extends VersionedEvent {
  @Equals(QUEUES.eticketCancelled)
  readonly type!: typeof QUEUES.eticketCancelled;

  /** As it was ticketed. */
  @Nested(() => BookingSnapshot)
  readonly booking!: BookingSnapshot;

  /** What goes back to the form of payment, penalties and fees taken off; zero where the fare gives nothing back. */
  @Nested(() => Money)
  readonly refund!: Money;
}
