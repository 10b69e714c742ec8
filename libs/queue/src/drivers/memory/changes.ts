import type { Clock } from '../../clock.js';

/** Wakes those who wait for something to happen. */
export class Changes {
  private readonly waiters = new Set<() => void>();

  constructor(private readonly clock: Clock) {}

  notify(): void {
    for (const wake of [...this.waiters]) wake();
  }

  /** Resolves at the next change, when a signal aborts, or after `atMostMs`. */
  next(signals: readonly AbortSignal[], atMostMs: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.waiters.delete(wake);
        for (const signal of signals) signal.removeEventListener('abort', wake);
        cancel();
        resolve();
      };
      const cancel = this.clock.schedule(Math.max(0, atMostMs), wake);
      this.waiters.add(wake);
      for (const signal of signals) signal.addEventListener('abort', wake);
      if (signals.some((signal) => signal.aborted)) wake();
    });
  }
}
