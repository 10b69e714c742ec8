import { Kysely, PostgresDialect } from 'kysely';
import type pg from 'pg';

/** Kysely over a pool. Closing the pool is its owner's business: `destroy()` of the result would end it too. */
export function createDatabase<DB>(pool: pg.Pool): Kysely<DB> {
  return new Kysely<DB>({ dialect: new PostgresDialect({ pool }) });
}
