import type { ColumnType, Generated } from 'kysely';

/**
 * - `pending`: nothing under way: never tried, or to be tried again
 * - `sending`: a worker holds the claim until `claimed_until`
 * - `sent`: the relay took it; never sent again
 * - `unknown`: the relay had the whole mail and did not say whether it took it
 * - `failed`: given up on, its event a dead letter; a redrive tries again
 */
export const SEND_STATES = ['pending', 'sending', 'sent', 'unknown', 'failed'] as const;
export type SendState = (typeof SEND_STATES)[number];

/** One row a mail: a booking's version. Holds no address and no name. */
export interface SendRecordTable {
  readonly event_id: string;
  readonly booking_id: string;
  readonly version: number;
  readonly message_id: string;
  readonly state: Generated<SendState>;
  /** How often a worker set out to send it. */
  readonly attempts: Generated<number>;
  /** Grows with every status that is published of this mail. */
  readonly revision: Generated<number>;
  readonly claim_token: string | null;
  /** By the database's clock. */
  readonly claimed_until: Date | null;
  /** Sendings of which nobody knows whether the relay took the mail. */
  readonly unknown_outcomes: Generated<number>;
  readonly possibly_sent_twice: ColumnType<boolean, never, never>;
  readonly sent_at: Date | null;
  /** Why it is delayed or failed; a code. */
  readonly reason: string | null;
  readonly next_try_at: Date | null;
  readonly created_at: Generated<Date>;
  readonly updated_at: Generated<Date>;
}

/** The schema `mail_eticket` as Kysely sees it. */
export interface MailEticketDatabase {
  readonly send_record: SendRecordTable;
}
