import pg from 'pg';
import type { Ackline } from '../ackline.js';
import { migrate } from '../drivers/postgres/migrate.js';
import { QUEUE_SCHEMA } from '../drivers/postgres/schema.js';
import { Store } from '../drivers/postgres/store.js';
import { OutboxRelay } from '../outbox/outbox-relay.js';
import type { OutboxRelayOptions } from '../outbox/outbox-relay.js';
import { OUTBOX_SCHEMA } from '../outbox/schema.js';

const SCHEMAS = { queue: QUEUE_SCHEMA, outbox: OUTBOX_SCHEMA };
export type SchemaName = keyof typeof SCHEMAS;

function openPool(connectionString: string): pg.Pool {
  const pool = new pg.Pool({ connectionString, max: 2, application_name: 'ackline', connectionTimeoutMillis: 5_000 });
  // An idle connection that dies is replaced by the next query.
  pool.on('error', () => undefined);
  return pool;
}

/** A relay on a pool of its own. */
export function openOutbox(
  databaseUrl: string,
  ackline: Ackline,
  options: Omit<OutboxRelayOptions, 'pool' | 'ackline'>,
): { readonly relay: OutboxRelay; close(): Promise<void> } {
  const pool = openPool(databaseUrl);
  const relay = new OutboxRelay({ pool, ackline, ...options });
  return {
    relay,
    close: async () => {
      await relay.stop();
      await pool.end();
    },
  };
}

/** Brings the tables up to date. */
export async function migrateSchemas(databaseUrl: string, names: readonly SchemaName[]): Promise<void> {
  const pool = openPool(databaseUrl);
  try {
    for (const name of names) await migrate(new Store({ pool }), SCHEMAS[name]);
  } finally {
    await pool.end();
  }
}

/** The same as SQL, for a tool of one's own: every version, each recorded as `migrate` records it. */
export function schemaSql(names: readonly SchemaName[]): string {
  const parts = ['begin;', 'create schema if not exists ackline;'];
  for (const name of names) {
    const { history, migrations } = SCHEMAS[name];
    parts.push(`create table ${history} (version int primary key, applied_at timestamptz not null default now());`);
    for (const [index, sql] of migrations.entries()) {
      parts.push(
        `-- ${name}, version ${index + 1}`,
        sql.trim(),
        `insert into ${history} (version) values (${index + 1});`,
      );
    }
  }
  return [...parts, 'commit;', ''].join('\n');
}
