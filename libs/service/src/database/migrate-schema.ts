import { Kysely, Migrator, PostgresDialect, type Migration } from 'kysely';
import pg from 'pg';
import type { Logger } from '../logging/logger.js';

export interface MigrateOptions {
  /** Made when it is not there; holds the tables and the record of applied migrations. `[a-z_]+`. */
  readonly schema: string;
  /** By name; run once each, in the order of their names. Never change one that was released. */
  readonly migrations: Readonly<Record<string, Migration>>;
  readonly logger?: Logger;
}

/** A migration may rewrite a table: longer than any query of a request. */
const STATEMENT_TIMEOUT_MS = 120_000;

/**
 * Brings a schema up to date, all in one transaction and one process at a time (Kysely's migration lock): services of
 * one kind can start together. Unqualified names in the migrations mean `schema`, in raw SQL too.
 */
export async function migrateSchema(pool: pg.Pool, options: MigrateOptions): Promise<void> {
  if (!/^[a-z][a-z_0-9]{0,62}$/.test(options.schema)) throw new TypeError(`not a schema name: ${options.schema}`);
  const migrationPool = new pg.Pool({
    ...pool.options,
    // pg hides it from enumeration, so the spread leaves it out.
    ...(pool.options.password === undefined ? {} : { password: pool.options.password }),
    max: 2,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: STATEMENT_TIMEOUT_MS + 5_000,
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    options: `-c search_path=${options.schema},public`,
  });
  migrationPool.on('error', () => undefined);
  migrationPool.on('connect', (client) => client.on('error', () => undefined));
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: migrationPool }) });
  try {
    const migrator = new Migrator({
      db: db.withSchema(options.schema),
      provider: { getMigrations: () => Promise.resolve({ ...options.migrations }) },
      migrationTableSchema: options.schema,
    });
    const { error, results = [] } = await migrator.migrateToLatest();
    const done = results.filter((result) => result.status === 'Success').map((result) => result.migrationName);
    if (error) throw error instanceof Error ? error : new Error('a migration failed', { cause: error });
    if (done.length > 0)
      options.logger?.info({ schema: options.schema, migrations: done }, 'database schema is up to date');
  } finally {
    await db.destroy();
  }
}
