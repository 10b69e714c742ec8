import type { Clock } from '../clock.js';
import type { Message } from '../message.js';
import type { QueueObserver } from '../observer.js';
import type { EphemeralReader, EphemeralStart, QueueDriver } from '../queue-driver.js';
import { reconnectDelay } from './backoff.js';
import { endsWithin, pause } from './waiter.js';

/** How an ephemeral consumer reads a queue (promise 11). */
export interface TailOptions {
  readonly queue: string;
  /** Default `latest`. */
  readonly from?: EphemeralStart;
}

/** Handles one message; the next one waits for it, so that order is kept. A failure is reported and passed over. */
export type TailHandler = (message: Message) => Promise<void> | void;

/** How a broadcast reader stands; `why` is for operators. */
export type TailStatus =
  { readonly state: 'starting' | 'waiting'; readonly why: string } | { readonly state: 'reading' | 'closed' };

/** A broadcast reader, from `Ackline.tail` until `close`. */
export interface TailConsumer {
  readonly queue: string;
  /** Resolves when everything published from now on will be seen. */
  readonly ready: Promise<void>;
  status(): TailStatus;
  /** Bounded; leaves nothing behind; works twice. */
  close(deadlineMs?: number): Promise<void>;
}

const RECONNECT = { baseMs: 200, maxMs: 5_000 };
const TAKE_LIMIT = { messages: 100, bytes: 16 * 1024 * 1024 };

/** Engine side of an ephemeral consumer: reconnects by itself, one message after the other. */
export class EphemeralConsumer implements TailConsumer {
  readonly queue: string;
  readonly ready: Promise<void>;
  readonly #stop = new AbortController();
  readonly #loop: Promise<void>;
  #markReady!: () => void;
  #reader: EphemeralReader | undefined;
  #waitingFor: string | undefined = 'not started yet';
  #closing: Promise<void> | undefined;

  constructor(
    private readonly driver: QueueDriver,
    private readonly options: Required<TailOptions>,
    private readonly handler: TailHandler,
    private readonly clock: Clock,
    private readonly observe: QueueObserver,
  ) {
    this.queue = options.queue;
    this.ready = new Promise((resolve) => {
      this.#markReady = resolve;
    });
    this.#loop = this.#run();
  }

  status(): TailStatus {
    if (this.#closing) return { state: 'closed' };
    if (this.#waitingFor === undefined) return { state: 'reading' };
    return { state: this.#reader ? 'waiting' : 'starting', why: this.#waitingFor };
  }

  close(deadlineMs = 5_000): Promise<void> {
    this.#closing ??= this.#close(deadlineMs);
    return this.#closing;
  }

  async #run(): Promise<void> {
    for (let attempt = 1; !this.#stop.signal.aborted;) {
      try {
        const reader = this.#reader ?? (await this.#open());
        const messages = await reader.take(TAKE_LIMIT, this.#stop.signal);
        // Not before: a try alone does not say that the store is back.
        this.#waitingFor = undefined;
        attempt = 1;
        for (const message of messages) await this.#handle(message);
      } catch (error) {
        if (this.#stop.signal.aborted) return;
        const retryInMs = reconnectDelay(RECONNECT, attempt++);
        this.#waitingFor = error instanceof Error ? error.message : String(error);
        this.observe({ type: 'unavailable', queue: this.queue, during: 'tail', retryInMs, error });
        await pause(this.clock, retryInMs, this.#stop.signal);
      }
    }
  }

  async #open(): Promise<EphemeralReader> {
    this.#reader = await this.driver.openEphemeral(this.options);
    this.#waitingFor = undefined;
    this.#markReady();
    return this.#reader;
  }

  async #handle(message: Message): Promise<void> {
    if (this.#stop.signal.aborted) return;
    try {
      await this.handler(message);
    } catch (error) {
      this.observe({ type: 'tail-handler-failed', queue: this.queue, messageId: message.id, error });
    }
  }

  async #close(deadlineMs: number): Promise<void> {
    this.#stop.abort();
    await endsWithin(this.clock, deadlineMs / 2, this.#loop);
    if (this.#reader) await endsWithin(this.clock, deadlineMs / 2, this.#reader.close(deadlineMs / 2));
  }
}
