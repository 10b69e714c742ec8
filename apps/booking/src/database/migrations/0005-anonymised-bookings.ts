import { sql, type Kysely, type Migration } from 'kysely';

/** Bookings whose personal data is gone, and what the retention looks for. */
export const anonymisedBookingsMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};

const STATEMENTS = [
  `alter table bookings add column anonymised_at timestamptz`,
  `alter table passengers alter column born_on drop not null`,
  // The day of the last arrival on the calendar of its airport, as the snapshot has it.
  `create index bookings_by_last_day on bookings (left(snapshot #>> '{segments,-1,arrivingAt}', 10))
     where anonymised_at is null`,
];
