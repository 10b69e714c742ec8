import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Ackline } from '../ackline.js';
import { reconnectDelay } from '../consume/backoff.js';
import { migrate } from '../drivers/postgres/migrate.js';
import { Store } from '../drivers/postgres/store.js';
import type { OutgoingMessage } from '../message.js';
import { OUTBOX_SCHEMA } from './schema.js';

/** From where to where an {@link OutboxRelay} publishes, and how often it looks. */
export interface OutboxRelayOptions {
  /** The database with the outbox. One connection is used, and held while a batch is published. */
  readonly pool: pg.Pool;
  /** Where the messages go. */
  readonly ackline: Ackline;
  /** Between looks while there is nothing. Default 200 ms. */
  readonly pollMs?: number;
  /** Messages a batch. Default 500. */
  readonly batchSize?: number;
  /** Told of each failed round; the relay goes on by itself after `retryInMs`. */
  readonly onError?: (error: unknown, retryInMs: number) => void;
}

/** What waits in the outbox. */
export interface OutboxStats {
  /** Committed and not yet published. */
  readonly waiting: number;
  readonly oldestAgeMs: number;
}

interface OutboxRow {
  readonly seq: string;
  readonly queue: string;
  readonly id: string;
  readonly key: string | null;
  readonly headers: Record<string, string>;
  readonly payload: Buffer;
  readonly delay_ms: number;
}

const RETRY = { baseMs: 200, maxMs: 10_000 };
/** Whoever holds it relays: with two at once the order of a key would be lost. */
const RELAY_LOCK = 4_716_337_201_186_423;
/** A relay that stands still this long inside a batch is cut off, so that another can go on. */
const BATCH_DEADLINE_MS = 30_000;

/**
 * Publishes what committed transactions left in the outbox (promise 13). Any number may run; one works at a time.
 * Killed between publishing and removing, it publishes that batch again under the same ids.
 */
export class OutboxRelay {
  readonly #store: Store;
  readonly #ackline: Ackline;
  readonly #pollMs: number;
  readonly #batchSize: number;
  readonly #onError: (error: unknown, retryInMs: number) => void;
  readonly #stop = new AbortController();
  #loop: Promise<void> | undefined;

  constructor({ pool, ackline, pollMs = 200, batchSize = 500, onError = () => undefined }: OutboxRelayOptions) {
    this.#store = new Store({ pool });
    this.#ackline = ackline;
    this.#pollMs = pollMs;
    this.#batchSize = batchSize;
    this.#onError = onError;
  }

  /** Starts relaying; returns at once. */
  start(): void {
    this.#loop ??= this.#run();
  }

  /** Lets the batch under way end, at most until `deadlineMs`; works twice. */
  async stop(deadlineMs = 5_000): Promise<void> {
    this.#stop.abort();
    const timeout = new AbortController();
    await Promise.race([
      Promise.resolve(this.#loop).finally(() => timeout.abort()),
      sleep(deadlineMs, undefined, { signal: timeout.signal }).catch(() => undefined),
    ]);
  }

  /** What waits to be published. @throws BrokerUnavailableError */
  async stats(): Promise<OutboxStats> {
    await migrate(this.#store, OUTBOX_SCHEMA);
    const [row] = await this.#store.query<{ waiting: string; oldest: number | null }>(
      `select count(*) as waiting, (extract(epoch from clock_timestamp() - min(enqueued_at)) * 1000)::float8 as oldest from ackline.outbox`,
      [],
    );
    return { waiting: Number(row!.waiting), oldestAgeMs: Math.max(0, row!.oldest ?? 0) };
  }

  /** Publishes one batch. Resolves with how many messages; 0 also while another relay works. */
  async relayOnce(): Promise<number> {
    await migrate(this.#store, OUTBOX_SCHEMA);
    return this.#store.transaction(async (client) => {
      await client.query(`set local idle_in_transaction_session_timeout = ${BATCH_DEADLINE_MS}`);
      const { rows: lock } = await client.query<{ mine: boolean }>('select pg_try_advisory_xact_lock($1) as mine', [
        RELAY_LOCK,
      ]);
      if (!lock[0]!.mine) return 0;
      const { rows } = await client.query<OutboxRow>(
        `select seq, queue, id, key, headers, payload,
                greatest(0, extract(epoch from not_before - clock_timestamp()) * 1000)::float8 as delay_ms
           from ackline.outbox order by seq limit $1`,
        [this.#batchSize],
      );
      for (const [queue, messages] of byQueue(rows)) await this.#ackline.publish(queue, messages);
      if (rows.length > 0)
        await client.query('delete from ackline.outbox where seq = any($1::bigint[])', [rows.map(({ seq }) => seq)]);
      return rows.length;
    });
  }

  async #run(): Promise<void> {
    for (let attempt = 1; !this.#stop.signal.aborted;) {
      try {
        const published = await this.relayOnce();
        attempt = 1;
        if (published < this.#batchSize) await this.#pause(this.#pollMs);
      } catch (error) {
        const retryInMs = reconnectDelay(RETRY, attempt++);
        this.#onError(error, retryInMs);
        await this.#pause(retryInMs);
      }
    }
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stop.signal }).catch(() => undefined);
  }
}

/** Order within a queue, and so within a key, stays. */
function byQueue(rows: readonly OutboxRow[]): Map<string, OutgoingMessage[]> {
  const queues = new Map<string, OutgoingMessage[]>();
  for (const { queue, id, key, headers, payload, delay_ms } of rows) {
    const messages = queues.get(queue) ?? [];
    queues.set(queue, messages);
    messages.push({ id, payload, headers, delayMs: delay_ms, ...(key !== null && { key }) });
  }
  return queues;
}
