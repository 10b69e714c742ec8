import { systemClock } from './clock.js';
import type { Clock } from './clock.js';
import { resolveConsumeOptions } from './consume/consume-options.js';
import type { ConsumeOptions } from './consume/consume-options.js';
import { GroupConsumer } from './consume/consumer.js';
import type { Consumer } from './consume/consumer.js';
import { EphemeralConsumer } from './consume/tail-consumer.js';
import type { TailConsumer, TailHandler, TailOptions } from './consume/tail-consumer.js';
import { DeadLetters } from './dead-letters.js';
import type { Handler } from './delivery.js';
import { ClosedError, InvalidMessageError } from './errors.js';
import type { Message, OutgoingMessage, PreparedMessage } from './message.js';
import { checkName } from './names.js';
import { guarded } from './observer.js';
import type { QueueObserver } from './observer.js';
import { peek } from './peek.js';
import { prepareMessage } from './prepare-message.js';
import type { DriverFeatures, GroupStats, QueueDriver } from './queue-driver.js';
import type { Tracing } from './tracing.js';

/** What an {@link Ackline} is made of. */
export interface AcklineOptions {
  readonly driver: QueueDriver;
  /** Default: the system's. Tests pass the virtual clock of `ackline/memory`. */
  readonly clock?: Clock;
  readonly observer?: QueueObserver;
  /** Default: none, and free. `openTelemetryTracing()` of `ackline/opentelemetry` makes one. */
  readonly tracing?: Tracing;
}

/** The library's front door: publishes to queues, runs consumers, keeps dead letters. One a process is enough. */
export class Ackline {
  readonly #driver: QueueDriver;
  readonly #clock: Clock;
  readonly #observe: QueueObserver;
  readonly #tracing: Tracing | undefined;
  readonly #consumers = new Set<Consumer | TailConsumer>();
  #closing: Promise<void> | undefined;

  constructor({ driver, clock = systemClock, observer = () => undefined, tracing }: AcklineOptions) {
    this.#driver = driver;
    this.#clock = clock;
    this.#observe = guarded(observer);
    this.#tracing = tracing;
  }

  /** What the driver can do. */
  get features(): DriverFeatures {
    return this.#driver.features;
  }

  /** Prepares the store. Not needed: every call does so when it must. @throws BrokerUnavailableError */
  start(signal?: AbortSignal): Promise<void> {
    return this.#driver.start(signal);
  }

  /**
   * Resolves with the messages' ids when all are durable (promise 1), stored in the order given.
   * @throws InvalidMessageError (nothing was stored), BrokerUnavailableError (some may have been: publish again, same ids).
   */
  async publish(queue: string, messages: OutgoingMessage | readonly OutgoingMessage[]): Promise<readonly string[]> {
    this.#mustBeOpen();
    checkName('queue', queue);
    const list = Array.isArray(messages) ? (messages as readonly OutgoingMessage[]) : [messages as OutgoingMessage];
    const prepared = list.map(prepareMessage);
    const { maxPayloadBytes } = this.#driver.features;
    const large = prepared.find(({ payload }) => payload.byteLength > maxPayloadBytes);
    if (large) {
      throw new InvalidMessageError(
        `payload of message ${large.id} has ${large.payload.byteLength} bytes: this driver takes at most ${maxPayloadBytes}.`,
      );
    }
    if (prepared.length > 0) {
      await this.#store(queue, prepared);
      this.#observe({ type: 'published', queue, count: prepared.length });
    }
    return prepared.map(({ id }) => id);
  }

  /**
   * Joins a group as a worker and gives its messages to `handler`. Returns at once; while the store is away it waits
   * and says so in `status()`. @throws InvalidOptionError
   */
  consume(options: ConsumeOptions, handler: Handler): Consumer {
    this.#mustBeOpen();
    const resolved = resolveConsumeOptions(options);
    const tracing = this.#tracing;
    const handle: Handler = tracing ? (delivery) => tracing.handle(delivery, handler) : handler;
    const consumer = new GroupConsumer(this.#driver, resolved, handle, this.#clock, this.#observe);
    this.#consumers.add(consumer);
    return consumer;
  }

  /** Reads a queue by itself, as in a broadcast: nothing is settled, and every reader sees everything (promise 11). */
  tail(options: TailOptions, handler: TailHandler): TailConsumer {
    this.#mustBeOpen();
    checkName('queue', options.queue);
    const resolved = { queue: options.queue, from: options.from ?? ('latest' as const) };
    const tracing = this.#tracing;
    const handle: TailHandler = tracing ? (message) => tracing.handleTail(message, handler) : handler;
    const consumer = new EphemeralConsumer(this.#driver, resolved, handle, this.#clock, this.#observe);
    this.#consumers.add(consumer);
    return consumer;
  }

  /** What consumes and tails now: those not yet closed. For health checks. */
  consumers(): readonly (Consumer | TailConsumer)[] {
    return [...this.#consumers].filter((consumer) => consumer.status().state !== 'closed');
  }

  /**
   * The newest messages of a queue, oldest of them first, settled or not; no group notices. For people who look: what is
   * published at the same moment may be missing.
   */
  peek(queue: string, options: { readonly last: number; readonly signal?: AbortSignal }): Promise<readonly Message[]> {
    this.#mustBeOpen();
    checkName('queue', queue);
    return peek(this.#driver, queue, options);
  }

  /** The dead letters of one group, to list, redrive and discard. @throws InvalidOptionError for what is no name. */
  deadLetters(queue: string, group: string): DeadLetters {
    checkName('queue', queue);
    checkName('group', group);
    return new DeadLetters(this.#driver.deadLetters(queue, group), {
      queue,
      group,
      clock: this.#clock,
      observe: this.#observe,
    });
  }

  /** Where a group stands; all zero for one that does not exist. @throws BrokerUnavailableError */
  stats(queue: string, group: string): Promise<GroupStats> {
    return this.#driver.stats(queue, group);
  }

  /** Every queue that the store has, with its groups. @throws BrokerUnavailableError */
  queues(): Promise<readonly { readonly queue: string; readonly groups: readonly string[] }[]> {
    return this.#driver.queues();
  }

  /** @throws BrokerUnavailableError when the store does not answer in time. */
  ping(deadlineMs = 2_000): Promise<void> {
    return this.#driver.ping(deadlineMs);
  }

  /** Closes every consumer, then the driver, within `deadlineMs` (default 10 s); works twice (promise 10). */
  close(deadlineMs = 10_000): Promise<void> {
    this.#closing ??= this.#close(deadlineMs);
    return this.#closing;
  }

  #store(queue: string, messages: readonly PreparedMessage[]): Promise<void> {
    if (!this.#tracing) return this.#driver.publish(queue, messages);
    return this.#tracing.publish(queue, messages, (traced) => this.#driver.publish(queue, traced));
  }

  async #close(deadlineMs: number): Promise<void> {
    const startedAt = this.#clock.monotonic();
    await Promise.all([...this.#consumers].map((consumer) => consumer.close(deadlineMs * 0.8)));
    await this.#driver.close(Math.max(0, deadlineMs - (this.#clock.monotonic() - startedAt)));
  }

  #mustBeOpen(): void {
    if (this.#closing) throw new ClosedError('this Ackline is closed.');
  }
}
