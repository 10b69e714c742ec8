import type { Store } from './store.js';

/** A set of tables with a history of its own in the schema `ackline`. */
export interface Schema {
  /** Table that holds the versions applied. */
  readonly history: string;
  /** Any number, the same in every version: whoever migrates holds it. */
  readonly lock: number;
  /** One after the other; each runs once. */
  readonly migrations: readonly string[];
}

/** Brings the tables up to date; safe to call from many processes at once. */
export async function migrate(store: Store, schema: Schema): Promise<void> {
  if (await isCurrent(store, schema)) return;
  await store.transaction(async (client) => {
    await client.query('select pg_advisory_xact_lock($1)', [schema.lock]);
    // Reading the catalogue first makes this connection see what the lock's last holder made; "if not exists" alone
    // trusts a cache that an advisory lock does not refresh.
    const { rowCount } = await client.query("select from pg_namespace where nspname = 'ackline'");
    if (rowCount === 0) await client.query('create schema ackline');
    await client.query(
      `create table if not exists ${schema.history} (version int primary key, applied_at timestamptz not null default now())`,
    );
    const { rows } = await client.query<{ version: number }>(
      `select coalesce(max(version), 0) as version from ${schema.history}`,
    );
    for (let version = rows[0]!.version; version < schema.migrations.length; version++) {
      await client.query(schema.migrations[version]!);
      await client.query(`insert into ${schema.history} (version) values ($1)`, [version + 1]);
    }
  });
}

async function isCurrent(store: Store, { history, migrations }: Schema): Promise<boolean> {
  const [table] = await store.query<{ there: boolean }>('select to_regclass($1) is not null as there', [history]);
  if (!table?.there) return false;
  const [row] = await store.query<{ version: number }>(
    `select coalesce(max(version), 0) as version from ${history}`,
    [],
  );
  return row!.version >= migrations.length;
}
