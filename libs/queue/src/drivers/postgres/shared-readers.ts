import { setTimeout as sleep } from 'node:timers/promises';
import type { Message } from '../../message.js';
import type { EphemeralReader, TakeLimit } from '../../queue-driver.js';
import { PostgresEphemeralReader } from './ephemeral-reader.js';
import { ReaderPosition } from './reader-position.js';
import { toMessage } from './rows.js';
import type { MessageRow } from './rows.js';
import type { Store } from './store.js';
import type { WakeUp } from './wake-up.js';

const TAKE_MS = 1_000;
const RETRY_MS = 500;
const TAKE_LIMIT = { messages: 500, bytes: 16 * 1024 * 1024 };
/** A reader that leaves more than this lying about gets a group of its own, so that it holds up no other one. */
const MOST_WAITING = { messages: 2_000, bytes: 16 * 1024 * 1024 };

/**
 * Readers from the latest end. Those of one queue in one process share a group: one poll and one row for each message,
 * however many they are.
 */
export class SharedReaders {
  readonly #groups = new Map<string, SharedGroup>();

  constructor(
    private readonly store: Store,
    private readonly wakeUp: WakeUp,
  ) {}

  /** Resolves when everything published from now on will be given. */
  open(queue: string): Promise<EphemeralReader> {
    let group = this.#groups.get(queue);
    if (!group) {
      group = new SharedGroup(this.store, this.wakeUp, queue, () => this.#groups.delete(queue));
      this.#groups.set(queue, group);
    }
    return group.join();
  }
}

interface Joining {
  readonly admit: (reader: SharedReader) => void;
  readonly refuse: (error: unknown) => void;
}

class SharedGroup {
  readonly #readers = new Set<SharedReader>();
  #joining: Joining[] = [];
  #wake = new AbortController();
  #loop: Promise<void> | undefined;

  constructor(
    private readonly store: Store,
    private readonly wakeUp: WakeUp,
    private readonly queue: string,
    private readonly onEnd: () => void,
  ) {}

  join(): Promise<EphemeralReader> {
    const joined = new Promise<SharedReader>((admit, refuse) => this.#joining.push({ admit, refuse }));
    this.#wake.abort();
    this.#loop ??= this.#run();
    return joined;
  }

  /** Resolves, for the last one to leave, when the group is gone. */
  async leave(reader: SharedReader): Promise<void> {
    this.#readers.delete(reader);
    if (this.#readers.size + this.#joining.length > 0) return;
    this.#wake.abort();
    await this.#loop;
  }

  async #run(): Promise<void> {
    let source: PostgresEphemeralReader | undefined;
    do {
      this.#wake = new AbortController();
      const { signal } = this.#wake;
      try {
        source ??= await PostgresEphemeralReader.open(this.store, this.wakeUp, { queue: this.queue, from: 'latest' });
        await this.#admit(source);
        const rows = await source.takeRows(TAKE_LIMIT, signal);
        for (const reader of this.#readers) reader.push(rows);
        for (const reader of this.#readers) if (reader.isFull) await this.#part(reader);
      } catch (error) {
        for (const { refuse } of this.#joining.splice(0)) refuse(error);
        for (const reader of this.#readers) reader.fail(error);
        await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
      }
    } while (this.#readers.size + this.#joining.length > 0);
    // Whoever comes now makes another group.
    this.onEnd();
    await source?.close(TAKE_MS);
  }

  /** What is waiting for the group now was published before: it is nothing to those who join. */
  async #admit(source: PostgresEphemeralReader): Promise<void> {
    if (this.#joining.length === 0) return;
    const admitted = [...this.#joining];
    const { seqs, newest } = await source.waiting();
    this.#joining = this.#joining.filter((joining) => !admitted.includes(joining));
    for (const { admit } of admitted) {
      const reader = new SharedReader(this, this.queue, seqs, newest);
      this.#readers.add(reader);
      admit(reader);
    }
  }

  async #part(reader: SharedReader): Promise<void> {
    reader.goOnWith(await PostgresEphemeralReader.resume(this.store, this.wakeUp, this.queue, reader.position));
    this.#readers.delete(reader);
  }
}

class SharedReader implements EphemeralReader {
  readonly position: ReaderPosition;
  #waiting: MessageRow[] = [];
  #bytes = 0;
  #failure: { readonly error: unknown } | undefined;
  #own: PostgresEphemeralReader | undefined;
  #closed: Promise<void> | undefined;
  #wake = (): void => undefined;

  constructor(
    private readonly group: SharedGroup,
    private readonly queue: string,
    /** Published before this reader was opened. */
    private readonly before: ReadonlySet<string>,
    newest: bigint,
  ) {
    this.position = new ReaderPosition(newest);
  }

  get isFull(): boolean {
    return this.#waiting.length > MOST_WAITING.messages || this.#bytes > MOST_WAITING.bytes;
  }

  push(rows: readonly MessageRow[]): void {
    this.#failure = undefined;
    for (const row of rows) {
      if (this.before.has(row.seq) || !this.position.isNew(row.seq)) continue;
      this.#waiting.push(row);
      this.#bytes += row.payload.byteLength;
    }
    if (this.#waiting.length > 0) this.#wake();
  }

  fail(error: unknown): void {
    this.#failure = { error };
    this.#wake();
  }

  goOnWith(own: PostgresEphemeralReader): void {
    this.#own = own;
    if (this.#closed) void own.close(TAKE_MS);
  }

  async take(limit: TakeLimit, signal: AbortSignal): Promise<readonly Message[]> {
    if (this.#waiting.length === 0 && !this.#own) await this.#arrival(signal);
    if (this.#waiting.length > 0) return this.#some(limit).map((row) => toMessage(this.queue, row));
    if (this.#own) return this.#own.take(limit, signal);
    if (this.#failure) throw this.#failure.error;
    return [];
  }

  close(deadlineMs: number): Promise<void> {
    this.#closed ??= Promise.all([this.group.leave(this), this.#own?.close(deadlineMs)]).then(() => undefined);
    return this.#closed;
  }

  #some(limit: TakeLimit): readonly MessageRow[] {
    let count = 0;
    for (let bytes = 0; count < Math.min(limit.messages, this.#waiting.length); count++) {
      bytes += this.#waiting[count]!.payload.byteLength;
      if (count > 0 && bytes > limit.bytes) break;
    }
    const some = this.#waiting.splice(0, count);
    for (const { payload } of some) this.#bytes -= payload.byteLength;
    return some;
  }

  async #arrival(signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#failure) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, TAKE_MS);
      signal.addEventListener('abort', done, { once: true });
      this.#wake = done;
    });
  }
}
