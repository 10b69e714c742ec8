import { randomBytes } from 'node:crypto';
import pg from 'pg';

export interface TestDatabase {
  readonly connectionString: string;
  readonly pool: pg.Pool;
  /** Ends the pool and drops the database, also when something is still connected to it. */
  drop(): Promise<void>;
}

/** A fresh, empty database on the server that `TEST_DATABASE_URL` names; Jest's global setup starts one. */
export async function testDatabase(): Promise<TestDatabase> {
  const serverUrl = process.env.TEST_DATABASE_URL;
  if (!serverUrl)
    throw new Error('TEST_DATABASE_URL is not set: run the tests with npm test, which starts a PostgreSQL');
  const name = `test_${randomBytes(6).toString('hex')}`;
  await onServer(serverUrl, `CREATE DATABASE ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const connectionString = url.toString();
  const pool = new pg.Pool({ connectionString, max: 10, connectionTimeoutMillis: 10_000 });
  pool.on('error', () => undefined);
  let dropped: Promise<void> | undefined;
  return {
    connectionString,
    pool,
    drop: () => (dropped ??= dropDatabase()),
  };

  async function dropDatabase(): Promise<void> {
    await pool.end();
    await onServer(serverUrl as string, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  }
}

async function onServer(connectionString: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
