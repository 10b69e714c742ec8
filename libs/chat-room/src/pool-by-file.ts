import { readFileSync } from 'node:fs';
import pg from 'pg';

/**
 * A pool that reads the file again for each new connection: an embedded PostgreSQL has another port after each start,
 * and whoever is connected should find it again.
 */
export function poolByFile(connectionFile: string, max: number): pg.Pool {
  const pool = new pg.Pool({
    Client: clientByFile(connectionFile),
    max,
    application_name: 'ackline',
    connectionTimeoutMillis: 5_000,
    statement_timeout: 30_000,
    query_timeout: 35_000,
    keepAlive: true,
  });
  // A connection that dies while idle is replaced at the next query.
  pool.on('error', () => undefined);
  return pool;
}

type ConnectCallback = ((error: Error) => void) | ((error: null, client: pg.Client) => void);

function clientByFile(connectionFile: string): new () => pg.Client {
  return class ClientByFile extends pg.Client {
    readonly #missing: boolean;

    constructor(config?: pg.ClientConfig) {
      const url = readUrl(connectionFile);
      super({ ...config, ...(url !== undefined && { connectionString: url }) });
      this.#missing = url === undefined;
    }

    // The pool calls with a callback, and breaks when a constructor throws.
    override connect(): Promise<pg.Client>;
    override connect(callback: ConnectCallback): void;
    override connect(callback?: ConnectCallback): Promise<pg.Client> | void {
      if (!this.#missing) return callback ? super.connect(callback) : super.connect();
      const error = new Error(`no database runs here: there is no ${connectionFile}`);
      if (!callback) return Promise.reject(error);
      process.nextTick(callback, error);
    }
  };
}

function readUrl(connectionFile: string): string | undefined {
  try {
    const { url } = JSON.parse(readFileSync(connectionFile, 'utf8')) as { readonly url?: unknown };
    return typeof url === 'string' ? url : undefined;
  } catch {
    return undefined;
  }
}
