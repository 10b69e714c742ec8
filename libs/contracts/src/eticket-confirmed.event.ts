import { Type } from 'class-transformer';
import { Equals, IsNotEmpty, ValidateNested } from 'class-validator';
import { BookingSnapshot, VersionedEvent } from './booking-snapshot.js';
import { QUEUES } from './queues.js';

/** Recorded in the transaction that stores a ticketed booking; handled by the `mail-eticket` group. */
export class EticketConfirmedEvent extends VersionedEvent {
  @Equals(QUEUES.eticketConfirmed)
  readonly type!: typeof QUEUES.eticketConfirmed;

  @ValidateNested()
  @Type(() => BookingSnapshot)
  @IsNotEmpty()
  readonly booking!: BookingSnapshot;
}
