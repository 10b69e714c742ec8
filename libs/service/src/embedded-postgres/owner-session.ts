import pg from 'pg';
import type { Postmaster } from './postmaster.js';
import { SUPERUSER } from './cluster.js';

/**
 * Who may call a data folder its own is settled by an advisory lock inside the very PostgreSQL that holds it, taken by
 * a session that stays open as long as its process lives. When the process dies, however it dies, the kernel closes its
 * connection and PostgreSQL drops the lock: no file to go stale, no process number to be mistaken for another's. That
 * two servers never run on one folder is PostgreSQL's own promise. So two starts at once end with one owner, and a
 * server whose owner was killed is there to be adopted.
 */
export interface OwnerSession {
  /** Calls back once should the session end without `close`: the server stopped or crashed. */
  onLost(listener: () => void): void;
  /** Makes the database where it is not there. */
  ensureDatabase(name: string): Promise<void>;
  close(): Promise<void>;
}

export type OwnerAttempt =
  | { readonly result: 'owner'; readonly session: OwnerSession }
  | { readonly result: 'taken'; readonly byPid: string }
  /** Not answering yet, or not any more. */
  | { readonly result: 'not-ready'; readonly why: string };

/** "eticket" in ASCII, cut to what fits an integer; any fixed number would do. */
const OWNER_LOCK = 0x65_74_69_63;
const CONNECT_TIMEOUT_MS = 2_000;
const APPLICATION_PREFIX = 'eticket owner ';

/** Tries once to become the owner. Throws when the server refuses our password: it is not ours. */
export async function tryToOwn(server: Postmaster, password: string): Promise<OwnerAttempt> {
  const client = new pg.Client({
    host: '127.0.0.1',
    port: server.port,
    user: SUPERUSER,
    password,
    database: 'postgres',
    ssl: false,
    keepAlive: true,
    application_name: `${APPLICATION_PREFIX}${process.pid}`,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: 10_000,
  });
  let lost = (): void => undefined;
  let over = false;
  const end = (): void => {
    if (!over) lost();
    over = true;
  };
  client.on('error', end);
  client.on('end', end);
  try {
    await client.connect();
    const { rows } = await client.query<{ owner: boolean }>('SELECT pg_try_advisory_lock($1) AS owner', [OWNER_LOCK]);
    if (rows[0]?.owner !== true) {
      const byPid = await ownerPid(client);
      await client.end();
      return { result: 'taken', byPid };
    }
  } catch (error) {
    await client.end().catch(() => undefined);
    if ((error as { readonly code?: string }).code === '28P01') throw error;
    return { result: 'not-ready', why: error instanceof Error ? error.message : String(error) };
  }
  return {
    result: 'owner',
    session: {
      onLost: (listener) => {
        lost = listener;
        if (over) listener();
      },
      ensureDatabase: async (name) => {
        const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
        if (rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
      },
      close: async () => {
        over = true;
        await client.end().catch(() => undefined);
      },
    },
  };
}

async function ownerPid(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ application_name: string }>(
    `SELECT a.application_name FROM pg_locks l JOIN pg_stat_activity a USING (pid)
     WHERE l.locktype = 'advisory' AND l.granted AND l.classid = 0 AND l.objid = $1`,
    [OWNER_LOCK],
  );
  return (rows[0]?.application_name ?? '').replace(APPLICATION_PREFIX, '');
}
