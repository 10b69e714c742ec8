import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { migrateSchema, type Logger } from '@eticket/service';
import type pg from 'pg';
import { ProblemError } from '../problems/problem.js';
import { BOOKING_SCHEMA } from './booking-database.js';
import { MIGRATIONS } from './migrations/index.js';

const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 5_000;

/**
 * Brings the schema up to date once the database can be reached. The service starts without it; until it is there,
 * readiness says why and requests that need it are answered 503.
 */
@Injectable()
export class SchemaKeeper implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly stopping = new AbortController();
  private state: 'waiting' | 'ready' = 'waiting';
  private lastError: unknown;
  private working: Promise<void> | undefined;

  constructor(
    private readonly pool: pg.Pool,
    private readonly prepareOutbox: () => Promise<void>,
    private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.working = this.keepTrying();
  }

  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    await this.working;
  }

  /** @throws ProblemError 503 while the schema is not there. */
  assertReady(): void {
    if (this.state === 'ready') return;
    throw new ProblemError('service_unavailable', 'Bookings cannot be reached for the moment; please try again.', {
      retryAfter: 5,
      cause: this.lastError,
    });
  }

  /** For the readiness probe. */
  async check(): Promise<void> {
    if (this.state === 'waiting') throw new Error('the database has not been reached since the start');
    await this.pool.query('select 1');
  }

  private async keepTrying(): Promise<void> {
    for (
      let delayMs = FIRST_RETRY_MS;
      !this.stopping.signal.aborted;
      delayMs = Math.min(delayMs * 2, LONGEST_RETRY_MS)
    ) {
      try {
        await migrateSchema(this.pool, { schema: BOOKING_SCHEMA, migrations: MIGRATIONS, logger: this.logger });
        await this.prepareOutbox();
        this.state = 'ready';
        return;
      } catch (error) {
        this.lastError = error;
        if (this.stopping.signal.aborted) return;
        this.logger.warn({ err: error, retryInMs: delayMs }, 'the database is not there yet');
        await sleep(delayMs, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      }
    }
  }
}
