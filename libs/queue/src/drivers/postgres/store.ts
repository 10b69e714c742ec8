import pg from 'pg';
import { BrokerUnavailableError, QueueError } from '../../errors.js';

/** PostgreSQL error classes that say "not now": connection, resources, operator, and serialisation or deadlock. */
const TRANSIENT = /^(08|53|57|40)/;

const ignore = (): void => undefined;

/** The connection pool behind a driver, with a deadline on every query and errors in this library's words. */
export class Store {
  readonly #pool: pg.Pool;
  readonly #ownsPool: boolean;
  #ended: Promise<void> | undefined;

  constructor(
    options: { readonly connectionString: string; readonly maxConnections: number } | { readonly pool: pg.Pool },
  ) {
    this.#ownsPool = !('pool' in options);
    this.#pool =
      'pool' in options
        ? options.pool
        : new pg.Pool({
            connectionString: options.connectionString,
            max: options.maxConnections,
            application_name: 'ackline',
            connectionTimeoutMillis: 5_000,
            statement_timeout: 30_000,
            query_timeout: 35_000,
            keepAlive: true,
          });
    // A pooled connection that dies while idle is replaced at the next query; there is nothing else to do about it.
    if (this.#ownsPool) this.#pool.on('error', ignore);
  }

  /** @throws BrokerUnavailableError when the server is away or answers that it cannot now; else the server's error. */
  async query<Row extends pg.QueryResultRow>(
    text: string,
    values: readonly unknown[],
    name?: string,
  ): Promise<readonly Row[]> {
    try {
      const result = await this.#pool.query<Row>({
        text,
        values: [...values],
        ...(name !== undefined && { name: `ackline_${name}` }),
      });
      return result.rows;
    } catch (error) {
      throw asQueueError(error);
    }
  }

  /** Runs `work` in one transaction on one connection. */
  async transaction<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    let client: pg.PoolClient | undefined;
    try {
      client = await this.#pool.connect();
      // A connection that dies between two queries says so by an event; the next query then fails.
      client.on('error', ignore);
      await client.query('begin');
      const result = await work(client);
      await client.query('commit');
      client.off('error', ignore);
      client.release();
      return result;
    } catch (error) {
      // A connection in an unknown state is closed rather than given back: the server rolls back.
      client?.release(true);
      throw asQueueError(error);
    }
  }

  /** A connection of its own, for LISTEN; the caller gives it back with `release(true)`. */
  async connect(): Promise<pg.PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw asQueueError(error);
    }
  }

  end(): Promise<void> {
    this.#ended ??= this.#ownsPool ? this.#pool.end() : Promise.resolve();
    return this.#ended;
  }
}

/** The server's SQLSTATE, if the error is one of its answers. */
export function sqlState(error: unknown): string | undefined {
  const cause = error instanceof QueueError ? error.cause : error;
  return cause instanceof pg.DatabaseError ? cause.code : undefined;
}

function asQueueError(error: unknown): unknown {
  if (error instanceof QueueError) return error;
  const state = sqlState(error);
  if (state !== undefined && !TRANSIENT.test(state)) return error;
  const why = error instanceof Error ? error.message || (error as { code?: string }).code : String(error);
  return new BrokerUnavailableError(`PostgreSQL does not answer: ${why}`, { cause: error });
}
