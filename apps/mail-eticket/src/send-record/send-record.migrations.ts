import { sql } from 'kysely';
import type { Kysely, Migration } from 'kysely';

export const MAIL_ETICKET_SCHEMA = 'mail_eticket';

/** By name, in order; released ones never change. */
export const MAIL_ETICKET_MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001_send_record': {
    async up(db: Kysely<unknown>): Promise<void> {
      await sql`
        CREATE TABLE send_record (
          event_id uuid NOT NULL,
          booking_id uuid NOT NULL,
          version integer NOT NULL,
          message_id text NOT NULL,
          state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'sending', 'sent', 'unknown', 'failed')),
          attempts integer NOT NULL DEFAULT 0,
          revision integer NOT NULL DEFAULT 0,
          claim_token uuid,
          claimed_until timestamptz,
          unknown_outcomes integer NOT NULL DEFAULT 0,
          possibly_sent_twice boolean NOT NULL
            GENERATED ALWAYS AS (unknown_outcomes + CASE state WHEN 'sent' THEN 1 ELSE 0 END > 1) STORED,
          sent_at timestamptz,
          reason text,
          next_try_at timestamptz,
          created_at timestamptz NOT NULL DEFAULT now(),
          updated_at timestamptz NOT NULL DEFAULT now(),
          PRIMARY KEY (booking_id, version),
          CHECK ((state = 'sending') = (claim_token IS NOT NULL)),
          CHECK ((claim_token IS NULL) = (claimed_until IS NULL)),
          CHECK ((state = 'sent') = (sent_at IS NOT NULL))
        )`.execute(db);
      await sql`CREATE INDEX send_record_event_id ON send_record (event_id)`.execute(db);
    },
  },
  '0002_relay_and_trace': {
    async up(db: Kysely<unknown>): Promise<void> {
      await sql`ALTER TABLE send_record ADD COLUMN relay_id text, ADD COLUMN trace_id text`.execute(db);
    },
  },
  '0003_told_dead_at': {
    async up(db: Kysely<unknown>): Promise<void> {
      // When the event died, of the death that the booking was told of last.
      await sql`ALTER TABLE send_record ADD COLUMN told_dead_at timestamptz`.execute(db);
    },
  },
};
