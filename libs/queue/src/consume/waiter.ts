import type { Clock } from '../clock.js';

/** Lets loops sleep until something changes. */
export class Waiter {
  #sleepers: (() => void)[] = [];

  /** Resolves at the next `wake`. */
  wait(): Promise<void> {
    return new Promise((resolve) => {
      this.#sleepers.push(resolve);
    });
  }

  wake(): void {
    const sleepers = this.#sleepers;
    this.#sleepers = [];
    for (const resume of sleepers) resume();
  }
}

/** Resolves after `delayMs`, or at once when `signal` aborts. Never rejects. */
export function pause(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.schedule(delayMs, done);
    signal?.addEventListener('abort', done, { once: true });
  });
}

/** Resolves with whether `work` ended within `deadlineMs`; its failure counts as an end. */
export async function endsWithin(clock: Clock, deadlineMs: number, work: Promise<unknown>): Promise<boolean> {
  const stop = new AbortController();
  const ended = work.then(
    () => true,
    () => true,
  );
  const late = pause(clock, Math.max(0, deadlineMs), stop.signal).then(() => false);
  const inTime = await Promise.race([ended, late]);
  stop.abort();
  return inTime;
}
