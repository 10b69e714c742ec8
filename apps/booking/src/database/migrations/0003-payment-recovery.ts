import { sql, type Kysely, type Migration } from 'kysely';

/** Cancelled bookings, refunds, and what a recovery looks for. */
export const paymentRecoveryMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};

const STATEMENTS = [
  `alter table bookings drop constraint bookings_status_check`,
  `alter table bookings add column cancelled_at timestamptz,
     add constraint bookings_status_check check (status in ('ticketed', 'cancelled')),
     add constraint bookings_cancelled_check check ((status = 'cancelled') = (cancelled_at is not null))`,
  `alter table tickets drop constraint tickets_status_check`,
  `alter table tickets add constraint tickets_status_check check (status in ('issued', 'cancelled'))`,
  `alter table payments drop constraint payments_state_check`,
  `alter table payments add column refund_minor bigint not null default 0,
     add column refunded_at timestamptz,
     add constraint payments_state_check check (state in ('authorised', 'captured', 'uncollectable')),
     add constraint payments_refund_check check (refund_minor between 0 and amount_minor)`,
  `drop index payments_to_capture`,
  `create index payments_to_settle on payments (booking_id)
     where state = 'authorised' or (refund_minor > 0 and refunded_at is null)`,
  `create index idempotency_keys_unfinished on idempotency_keys (claimed_until) where response is null`,
];
