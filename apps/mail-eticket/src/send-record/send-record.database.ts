import { setTimeout as pause } from 'node:timers/promises';
import { createPool, migrateSchema, within } from '@eticket/service';
import type { Logger } from '@eticket/service';
import type pg from 'pg';
import { trouble } from '../log-trouble.js';
import { MAIL_ETICKET_MIGRATIONS, MAIL_ETICKET_SCHEMA } from './send-record.migrations.js';

const RETRY_BASE_MS = 250;
const RETRY_MAX_MS = 10_000;
/** A pool waits for connections that are in use; a lost server must not hold up the end of the process. */
const CLOSE_DEADLINE_MS = 1_000;

/** The worker's own schema. Opens at once and keeps trying until the database is there. */
export class SendRecordDatabase {
  readonly pool: pg.Pool;
  readonly #stop = new AbortController();
  readonly #migrating: Promise<void>;
  #isMigrated = false;
  #closing: Promise<void> | undefined;

  constructor(
    connectionString: string,
    private readonly logger: Logger,
  ) {
    this.pool = createPool({ connectionString, applicationName: 'mail-eticket', logger });
    this.#migrating = this.#migrate();
  }

  /** Resolves when the schema is up to date, or the database closed. Never rejects. */
  whenMigrated(): Promise<void> {
    return this.#migrating;
  }

  /** @throws why the record cannot be read or written now. */
  async check(): Promise<void> {
    if (!this.#isMigrated) throw new Error('the schema is not up to date yet');
    await this.pool.query('SELECT 1');
  }

  /** Works twice. */
  close(): Promise<void> {
    this.#stop.abort();
    return (this.#closing ??= within(this.pool.end(), CLOSE_DEADLINE_MS, 'closing the database').catch(
      () => undefined,
    ));
  }

  async #migrate(): Promise<void> {
    for (let attempt = 0; !this.#stop.signal.aborted; attempt += 1) {
      try {
        await migrateSchema(this.pool, {
          schema: MAIL_ETICKET_SCHEMA,
          migrations: MAIL_ETICKET_MIGRATIONS,
          logger: this.logger,
        });
        this.#isMigrated = true;
        return;
      } catch (err) {
        const retryInMs = Math.min(RETRY_MAX_MS, RETRY_BASE_MS * 2 ** attempt);
        this.logger.warn({ ...trouble(err), retryInMs }, 'the database cannot be reached yet');
        await pause(retryInMs, undefined, { signal: this.#stop.signal }).catch(() => undefined);
      }
    }
  }
}
