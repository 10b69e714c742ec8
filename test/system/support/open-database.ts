import pg from 'pg';

/** For a look into the tables. The server may be stopped before its connections are: that is no error of the spec. */
export function openDatabase(connectionString: string): pg.Pool {
  const pool = new pg.Pool({ connectionString, max: 2, connectionTimeoutMillis: 10_000 });
  pool.on('error', () => undefined);
  return pool;
}
