import { systemClock, type Clock } from '../../clock.js';
import { InvalidOptionError } from '../../errors.js';
import type { QueueDriver } from '../../queue-driver.js';
import { Connection } from './connection.js';
import { MemoryDriver } from './memory-driver.js';
import { StoredQueue } from './stored-queue.js';

/** Time and retention of a {@link MemoryStore}. */
export interface MemoryStoreOptions {
  /** The store's time; give a `VirtualClock` to let days pass in a test. The system's by default. */
  readonly clock?: Clock;
  /** How long messages are kept for groups that come later (promise 14). 7 days by default. */
  readonly retentionMs?: number;
}

const SEVEN_DAYS_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * A broker in memory, for unit tests: it keeps every promise of the port for as long as this object lives. Each
 * `driver()` stands for the connection of one process; two of them are two processes that share the store.
 *
 * @example
 * const clock = new VirtualClock();
 * const store = new MemoryStore({ clock });
 * const ackline = new Ackline({ driver: store.driver(), clock });
 */
export class MemoryStore {
  private readonly queues = new Map<string, StoredQueue>();
  private readonly drivers = new Set<MemoryDriver>();
  private readonly clock: Clock;
  private readonly retentionMs: number;

  /** @throws InvalidOptionError when `retentionMs` is not above 0. */
  constructor({ clock = systemClock, retentionMs = SEVEN_DAYS_MS }: MemoryStoreOptions = {}) {
    if (!(retentionMs > 0)) throw new InvalidOptionError(`retentionMs must be above 0, not ${retentionMs}`);
    this.clock = clock;
    this.retentionMs = retentionMs;
  }

  /** One more process's connection. */
  driver(): QueueDriver {
    const driver = new MemoryDriver(this.queues, (name) => this.openQueue(name), new Connection(this.clock));
    this.drivers.add(driver);
    return driver;
  }

  /**
   * kill -9 of the process that holds this driver: no goodbye, its leases end with their visibility timeout, and
   * whatever its handlers still do reaches the store no more (its calls throw BrokerUnavailableError).
   * @throws InvalidOptionError when the driver is of another store.
   */
  crash(driver: QueueDriver): void {
    this.own(driver).die();
  }

  /**
   * Cuts the network between this driver and the store, until the returned function is called. Its calls throw
   * BrokerUnavailableError; cut off for longer than the visibility timeout it loses its leases.
   * @throws InvalidOptionError when the driver is of another store.
   */
  cutOff(driver: QueueDriver): () => void {
    return this.own(driver).cutOff();
  }

  private own(driver: QueueDriver): MemoryDriver {
    if (driver instanceof MemoryDriver && this.drivers.has(driver)) return driver;
    throw new InvalidOptionError('driver must be one that driver() of this store returned');
  }

  private openQueue(name: string): StoredQueue {
    let queue = this.queues.get(name);
    if (queue === undefined) {
      queue = new StoredQueue(name, this.clock, this.retentionMs);
      this.queues.set(name, queue);
    }
    return queue;
  }
}
