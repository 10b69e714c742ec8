import { sql, type Kysely, type Migration } from 'kysely';

/** What the expiry of idempotency keys looks for. */
export const keyExpiryMigration: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql.raw(`create index idempotency_keys_by_age on idempotency_keys (created_at)`).execute(db);
  },
};
