import { Ackline } from '../../ackline.js';
import type { AcklineOptions } from '../../ackline.js';
import { MemoryStore } from '../../drivers/memory/memory-store.js';
import { VirtualClock } from '../../drivers/memory/virtual-clock.js';
import type { DeadLetter, QueueDriver } from '../../queue-driver.js';
import { pause, settleAll } from './drained.js';
import type { DrainedOptions } from './drained.js';
import { RecordingDriver } from './recording-driver.js';
import type { PublishedMessage } from './recording-driver.js';

/** What `Ackline` takes beside its driver and clock. */
export type TestQueueOptions = Omit<AcklineOptions, 'driver' | 'clock'>;

/** How long `drained` waits, in real and in virtual time. */
export interface TestDrainedOptions extends DrainedOptions {
  /** Virtual milliseconds that may pass for delays and backoff. Default one day. */
  readonly passAtMostMs?: number;
}

/** A queue for tests: in memory, its time virtual, what was published remembered. */
export interface TestQueue {
  /** For the code under test; in Nest `QueueModule.forRoot({ ackline })`, or `overrideProvider(Ackline)`. */
  readonly ackline: Ackline;
  /** Stands still until it is advanced. Handlers run without that; delays, backoff and timeouts need it. */
  readonly clock: VirtualClock;
  /** Another process's connection to the same queues. Closed by {@link TestQueue.close} too. */
  connect(): Ackline;
  /** The driver beneath a new connection, for code that wants one. */
  driver(): QueueDriver;
  /** What was published to a queue so far, in order, by whomever. */
  published(queue: string): readonly PublishedMessage[];
  /** Lets virtual time pass: whatever falls due happens. */
  advance(ms: number): Promise<void>;
  /**
   * Resolves when everything published, and what handlers published, has been settled by every group: acked, or
   * dead-lettered. Lets virtual time pass over delays and backoff while nothing is in flight, and waits in real time for
   * handlers that run. Queues that nobody consumes do not count.
   * @throws NotDrainedError that says what is left, and how its consumers stand.
   */
  drained(options?: TestDrainedOptions): Promise<void>;
  /** A group's dead letters, oldest first. */
  deadLetters(queue: string, group: string): Promise<readonly DeadLetter[]>;
  /** Closes every connection, whatever its handlers do. */
  close(): Promise<void>;
}

/**
 * A new, empty queue. Needs no test runner: works in Jest, Vitest and node:test alike.
 *
 * @example
 * const queue = testQueue();
 * startShop(queue.ackline);
 * await queue.ackline.publish('orders', jsonMessage({ id: 7 }));
 * await queue.drained();
 * assert.deepEqual(queue.published('invoices').map(({ value }) => value), [{ order: 7 }]);
 * await queue.close();
 */
export function testQueue(options: TestQueueOptions = {}): TestQueue {
  return new MemoryTestQueue(options);
}

const DAY_MS = 86_400_000;
const FIRST_STEP_MS = 10;
const LONGEST_STEP_MS = 60_000;
const CLOSE_MS = 1_000;

class MemoryTestQueue implements TestQueue {
  readonly clock = new VirtualClock();
  readonly ackline: Ackline;
  readonly #store = new MemoryStore({ clock: this.clock });
  readonly #published = new Map<string, PublishedMessage[]>();
  readonly #acklines: Ackline[] = [];

  constructor(private readonly options: TestQueueOptions) {
    this.ackline = this.connect();
  }

  connect(): Ackline {
    const ackline = new Ackline({ ...this.options, driver: this.driver(), clock: this.clock });
    this.#acklines.push(ackline);
    return ackline;
  }

  driver(): QueueDriver {
    return new RecordingDriver(this.#store.driver(), (queue, message) => {
      const messages = this.#published.get(queue) ?? [];
      this.#published.set(queue, messages);
      messages.push(message);
    });
  }

  published(queue: string): readonly PublishedMessage[] {
    return [...(this.#published.get(queue) ?? [])];
  }

  advance(ms: number): Promise<void> {
    return this.clock.advance(ms);
  }

  async drained({ deadlineMs = 4_000, passAtMostMs = DAY_MS }: TestDrainedOptions = {}): Promise<void> {
    const end = this.clock.now() + passAtMostMs;
    let stepMs = FIRST_STEP_MS;
    await this.clock.advance(0);
    await settleAll(this.#acklines, { deadlineMs }, async (left) => {
      // A handler that runs may wait for something real: virtual time must not run away from it.
      if (left.some(({ inFlight }) => inFlight > 0)) {
        stepMs = FIRST_STEP_MS;
        await pause(1);
        return this.clock.advance(0);
      }
      if (this.clock.now() >= end) return false;
      await this.clock.advance(Math.min(stepMs, end - this.clock.now()));
      stepMs = Math.min(2 * stepMs, LONGEST_STEP_MS);
      return true;
    });
  }

  async deadLetters(queue: string, group: string): Promise<readonly DeadLetter[]> {
    const letters: DeadLetter[] = [];
    for await (const letter of this.ackline.deadLetters(queue, group).list()) letters.push(letter);
    return letters;
  }

  async close(): Promise<void> {
    const closing = Promise.all(this.#acklines.map((ackline) => ackline.close(CLOSE_MS)));
    // Deadlines are virtual too: a handler that hangs is given up when they have passed.
    await this.clock.advance(CLOSE_MS);
    await closing;
  }
}
