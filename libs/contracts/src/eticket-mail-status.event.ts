import { Equals, IsIn, IsInt, IsISO8601, IsOptional, IsString, IsUUID, MaxLength, Min } from 'class-validator';
import { VersionedEvent } from './booking-snapshot.js';
import { QUEUES } from './queues.js';

/**
 * The states of an e-ticket mail: `queued` until a worker takes the event, `sending`, `delayed` with the next try
 * ahead, and at the end `sent` (the mail server took it) or `failed`.
 */
export const MAIL_STATUSES = ['queued', 'sending', 'delayed', 'sent', 'failed'] as const;
export type MailStatus = (typeof MAIL_STATUSES)[number];

/**
 * Published by `mail-eticket` on every delivery. `version` is that of the booking's event that the mail belongs to;
 * `revision` grows with every status of one such mail, so that a reader keeps the newest of (version, revision).
 */
export class EticketMailStatusEvent extends VersionedEvent {
  @Equals(QUEUES.eticketMailStatus)
  readonly type!: typeof QUEUES.eticketMailStatus;

  @IsUUID()
  readonly bookingId!: string;

  @IsInt()
  @Min(1)
  readonly revision!: number;

  @IsIn(MAIL_STATUSES)
  readonly status!: MailStatus;

  @IsOptional()
  @IsISO8601({ strict: true })
  readonly sentAt?: string;

  /** RFC 5322 Message-ID of the mail, with its angle brackets. */
  @IsOptional()
  @IsString()
  @MaxLength(998)
  readonly messageId?: string;

  /** Under which the relay queued the mail (its reply to DATA), where it said so: what its own log calls the mail. */
  @IsOptional()
  @IsString()
  @MaxLength(64)
  readonly relayId?: string;

  @IsOptional()
  @IsISO8601({ strict: true })
  readonly nextTryAt?: string;

  /** A code for the traveller's page, e.g. `recipient_refused`. Holds no address. */
  @IsOptional()
  @IsString()
  @MaxLength(64)
  readonly reason?: string;
}
