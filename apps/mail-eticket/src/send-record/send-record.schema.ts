/**
 * - `pending`: nothing under way: never tried, or to be tried again
 * - `sending`: a worker holds the claim until `claimed_until`
 * - `sent`: the relay took it; never sent again
 * - `unknown`: the relay had the whole mail and did not say whether it took it
 * - `failed`: given up on, its event a dead letter; a redrive tries again
 */
export const SEND_STATES = ['pending', 'sending', 'sent', 'unknown', 'failed'] as const;
export type SendState = (typeof SEND_STATES)[number];

/** One row of `send_record`: a mail, that is a booking's version. Holds no address and no name. */
export interface SendRecordRow {
  readonly event_id: string;
  readonly booking_id: string;
  readonly version: number;
  readonly message_id: string;
  readonly state: SendState;
  /** How often a worker set out to send it. */
  readonly attempts: number;
  /** Grows with every status that is published of this mail. */
  readonly revision: number;
  /** Sendings of which nobody knows whether the relay took the mail. */
  readonly unknown_outcomes: number;
  readonly possibly_sent_twice: boolean;
  readonly sent_at: Date | null;
  /** Under which the relay queued it, as its own log names it; null where it did not say. */
  readonly relay_id: string | null;
  /** Why it is delayed or failed; a code. */
  readonly reason: string | null;
  readonly next_try_at: Date | null;
  readonly updated_at: Date;
}

/** Where a mail stands: its row in the words of the program. */
export interface SendRecord {
  /** Of the first event that asked for the mail. */
  readonly eventId: string;
  readonly bookingId: string;
  readonly version: number;
  readonly messageId: string;
  readonly state: SendState;
  readonly attempts: number;
  readonly revision: number;
  readonly unknownOutcomes: number;
  readonly possiblySentTwice: boolean;
  readonly sentAt: Date | undefined;
  readonly relayId: string | undefined;
  readonly reason: string | undefined;
  readonly nextTryAt: Date | undefined;
  readonly updatedAt: Date;
}

export function recordOf(row: SendRecordRow): SendRecord {
  return {
    eventId: row.event_id,
    bookingId: row.booking_id,
    version: row.version,
    messageId: row.message_id,
    state: row.state,
    attempts: row.attempts,
    revision: row.revision,
    unknownOutcomes: row.unknown_outcomes,
    possiblySentTwice: row.possibly_sent_twice,
    sentAt: row.sent_at ?? undefined,
    relayId: row.relay_id ?? undefined,
    reason: row.reason ?? undefined,
    nextTryAt: row.next_try_at ?? undefined,
    updatedAt: row.updated_at,
  };
}
