import type { Cancel, Clock } from '../../clock.js';
import { MinHeap } from './min-heap.js';

interface Timer {
  readonly at: number;
  /** Timers of one moment run in the order in which they were set. */
  readonly order: number;
  run: (() => void) | undefined;
}

/** Time that passes only when a test says so. Give one to `MemoryStore` and `Ackline`, then {@link VirtualClock.advance}. */
export class VirtualClock implements Clock {
  private readonly timers = new MinHeap<Timer>((a, b) => a.at < b.at || (a.at === b.at && a.order < b.order));
  private current: number;
  private order = 0;
  private advancing: Promise<void> = Promise.resolve();

  /** @param startMs what `now()` says first, in milliseconds since the epoch; 1 January 2027 UTC by default. */
  constructor(private readonly startMs: number = Date.UTC(2027, 0, 1)) {
    this.current = startMs;
  }

  now(): number {
    return this.current;
  }

  monotonic(): number {
    return this.current - this.startMs;
  }

  schedule(delayMs: number, callback: () => void): Cancel {
    const timer: Timer = { at: this.current + Math.max(0, delayMs), order: this.order++, run: callback };
    this.timers.push(timer);
    return () => {
      timer.run = undefined;
    };
  }

  /**
   * Lets `ms` milliseconds pass: runs what falls due, earliest first, and lets every promise settle before the next.
   * `advance(0)` only lets promises settle. Calls made at the same time pass one after another.
   */
  advance(ms: number): Promise<void> {
    this.advancing = this.advancing.then(() => this.pass(ms));
    return this.advancing;
  }

  private async pass(ms: number): Promise<void> {
    const end = this.current + ms;
    await promisesSettled();
    for (let timer = this.timers.peek(); timer !== undefined && timer.at <= end; timer = this.timers.peek()) {
      this.timers.pop();
      const run = timer.run;
      if (run === undefined) continue;
      this.current = timer.at;
      run();
      await promisesSettled();
    }
    this.current = end;
  }
}

/** `setImmediate` comes after every promise that can settle without waiting for something outside. */
function promisesSettled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
