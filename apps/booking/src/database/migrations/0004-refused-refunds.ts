import { sql, type Kysely, type Migration } from 'kysely';

/** A refund that the gateway refuses is an end too: a person has to see to it. */
export const refusedRefundsMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql
      .raw(
        `alter table payments drop constraint payments_state_check,
           add constraint payments_state_check
             check (state in ('authorised', 'captured', 'uncollectable', 'refund_refused'))`,
      )
      .execute(db);
  },
};
