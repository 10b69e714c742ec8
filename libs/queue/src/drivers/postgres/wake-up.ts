import type pg from 'pg';
import type { Store } from './store.js';

const CHANNEL = 'ackline';
/** Hints of one queue are sent at most this often: NOTIFY takes a server-wide lock at commit. */
const HINT_EVERY_MS = 5;
const RELISTEN_MS = 2_000;

/**
 * Hints that a queue has something, across processes by LISTEN and NOTIFY. Polling stays the truth: a hint that is lost
 * costs latency, never a message.
 */
export class WakeUp {
  readonly #sleepers = new Map<string, Set<() => void>>();
  readonly #hintsDue = new Map<string, NodeJS.Timeout>();
  readonly #lost = new WeakSet<pg.PoolClient>();
  #client: pg.PoolClient | undefined;
  #listening = false;
  #retry: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(private readonly store: Store) {}

  /** Resolves at the queue's next hint, after `atMostMs`, or when `signal` aborts. */
  async sleep(queue: string, atMostMs: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#closed) return;
    void this.#listen();
    const sleepers = this.#sleepers.get(queue) ?? new Set();
    this.#sleepers.set(queue, sleepers);
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        sleepers.delete(done);
        resolve();
      };
      const timer = setTimeout(done, atMostMs);
      signal.addEventListener('abort', done, { once: true });
      sleepers.add(done);
    });
  }

  /** Tells every process, this one at once, that the queue has something, or will have in `inMs`. */
  hint(queue: string, inMs = 0): void {
    if (this.#closed) return;
    if (inMs === 0) this.#wake(queue);
    if (this.#hintsDue.has(queue)) return;
    const timer = setTimeout(() => {
      this.#hintsDue.delete(queue);
      if (!this.#closed)
        this.store.query('select pg_notify($1, $2)', [CHANNEL, queue], 'notify').catch(() => undefined);
    }, HINT_EVERY_MS + inMs);
    timer.unref();
    this.#hintsDue.set(queue, timer);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#retry);
    for (const timer of this.#hintsDue.values()) clearTimeout(timer);
    for (const sleepers of this.#sleepers.values()) for (const wake of [...sleepers]) wake();
    const client = this.#client;
    this.#client = undefined;
    if (client) {
      this.#lost.add(client);
      client.release(true);
    }
  }

  #wake(queue: string): void {
    for (const wake of [...(this.#sleepers.get(queue) ?? [])]) wake();
  }

  async #listen(): Promise<void> {
    if (this.#listening || this.#closed) return;
    this.#listening = true;
    let client: pg.PoolClient | undefined;
    try {
      client = await this.store.connect();
      client.on('notification', ({ payload }) => this.#wake(payload ?? ''));
      const lost = (): void => this.#onLost(client!);
      client.on('error', lost);
      client.on('end', lost);
      await client.query(`listen ${CHANNEL}`);
      if (this.#lost.has(client)) return;
      if (this.#closed) return client.release(true);
      this.#client = client;
    } catch {
      if (client) this.#onLost(client);
      else this.#relisten();
    }
  }

  #onLost(client: pg.PoolClient): void {
    if (this.#lost.has(client)) return;
    this.#lost.add(client);
    if (this.#client === client) this.#client = undefined;
    client.release(true);
    this.#relisten();
  }

  /** The next sleeper after a while tries again. */
  #relisten(): void {
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => {
      this.#listening = false;
    }, RELISTEN_MS);
    this.#retry.unref();
  }
}
