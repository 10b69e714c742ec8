import pg from 'pg';
import { DatabaseUrlError } from './database-url-error.js';
import type { Logger } from '../logging/logger.js';

export interface PoolOptions {
  readonly connectionString: string;
  /** Most connections at a time; 10 when left out. */
  readonly max?: number;
  /** As `pg_stat_activity` shows it. */
  readonly applicationName: string;
  /** A statement that runs longer is cancelled; 15,000 when left out. */
  readonly statementTimeoutMs?: number;
  readonly logger?: Logger;
}

const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 15_000;
/** A transaction left open would keep its locks, and hold back vacuum, for as long as its connection lives. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 30_000;

/** A connection pool that waits for nothing without an end. */
export function createPool(options: PoolOptions): pg.Pool {
  const statementTimeoutMs = options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS;
  if (!URL.canParse(options.connectionString)) throw new DatabaseUrlError();
  const pool = new pg.Pool({
    connectionString: options.connectionString,
    max: options.max ?? 10,
    application_name: options.applicationName,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    statement_timeout: statementTimeoutMs,
    // Beyond the server's own limit: for a server or a network that does not answer at all.
    query_timeout: statementTimeoutMs + 5_000,
    keepAlive: true,
  });
  // An idle connection broke. The next query takes a new one; without a listener the process would end.
  pool.on('error', (err) => options.logger?.warn({ err }, 'a database connection was lost'));
  // A connection that breaks in use says so by an event too, beside the query that fails.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}
