import type { Cancel, Clock } from '../clock.js';
import { reconnectDelay } from './backoff.js';
import type { Backoff } from './backoff.js';

/**
 * Promise 9, stop the line. While stopped nothing is taken; after each interval, growing, one message is tried. The
 * first delivery that ends in another way lets the line run again.
 */
export class StoppedLine {
  #errorCode: string | undefined;
  #attempt = 0;
  #probeDue = false;
  #stoppedAt = 0;
  #cancel: Cancel | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly probe: Backoff,
    /** Called when a probe may start, so that a waiting intake looks again. */
    private readonly onProbeDue: () => void,
  ) {}

  /** Why the line stands; undefined while it runs. */
  get why(): string | undefined {
    return this.#errorCode;
  }

  /** How many messages may be taken beside those running: all while the line runs, one for a probe, else none. */
  allows(running: number): number {
    if (this.#errorCode === undefined) return Infinity;
    return this.#probeDue && running === 0 ? 1 : 0;
  }

  /** A delivery found the fault. Returns the milliseconds until the next probe, or undefined if one is under way already. */
  stop(errorCode: string): number | undefined {
    const firstOrProbe = this.#errorCode === undefined || this.#probeDue;
    this.#errorCode = errorCode;
    this.#stoppedAt = this.clock.monotonic();
    if (!firstOrProbe) return undefined;
    this.#probeDue = false;
    this.#attempt += 1;
    const delayMs = reconnectDelay(this.probe, this.#attempt);
    this.#cancel?.();
    this.#cancel = this.clock.schedule(delayMs, () => {
      this.#probeDue = true;
      this.onProbeDue();
    });
    return delayMs;
  }

  /**
   * A delivery that started at `startedAt` (monotonic) ended without the fault. Returns whether that lets the line run
   * again: one that was under way when the fault was found tells nothing.
   */
  resume(startedAt: number): boolean {
    if (this.#errorCode === undefined || startedAt < this.#stoppedAt) return false;
    this.close();
    this.#errorCode = undefined;
    this.#attempt = 0;
    this.#probeDue = false;
    return true;
  }

  close(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
