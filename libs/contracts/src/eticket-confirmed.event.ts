import { Equals } from 'class-validator';
import { BookingSnapshot, VersionedEvent } from './booking-snapshot.js';
import { Nested } from './nested.js';
import { QUEUES } from './queues.js';

/** Recorded in the transaction that stores a ticketed booking; handled by the `mail-eticket` group. */
export class EticketConfirmedEvent extends VersionedEvent {
  @Equals(QUEUES.eticketConfirmed)
  readonly type!: typeof QUEUES.eticketConfirmed;

  @Nested(() => BookingSnapshot)
  readonly booking!: BookingSnapshot;
}
