import { AsyncLocalStorage } from 'node:async_hooks';

/** Told of a rejection that came too late to fail the message. */
export type LateRejectionReport = (reason: unknown) => void;

const running = new AsyncLocalStorage<HandlerRun>();
/** The listeners of this library, of whatever copy of it: only they let a foreign rejection end the process as ever. */
const OURS = Symbol.for('ackline.unhandledRejection');

/**
 * One run of a handler. A promise that it makes and awaits nowhere may still be rejected: before the handler has ended,
 * the rejection fails the message; afterwards it is reported.
 */
export class HandlerRun {
  #hasEnded = false;
  #rejection: { readonly reason: unknown } | undefined;

  constructor(private readonly report: LateRejectionReport) {}

  /** Runs `work`; throws what it throws, else what a promise that it left behind was rejected with. */
  async run(work: () => Promise<void>): Promise<void> {
    try {
      await running.run(this, async () => {
        await work();
        // Node tells of unhandled rejections once promises have settled, which is before this.
        await new Promise((resolve) => setImmediate(resolve));
      });
    } finally {
      this.#hasEnded = true;
    }
    if (this.#rejection) throw this.#rejection.reason;
  }

  rejected(reason: unknown): void {
    if (this.#hasEnded) this.report(reason);
    else this.#rejection ??= { reason };
  }
}

/**
 * From now on rejections that nobody handles find the handler's run that they come from: that whose code rejects. One that
 * other code rejects is foreign on Node 24, and ends the process as ever. Returns how to stop.
 */
export function watchRejections(): () => void {
  const listener = Object.assign(
    (reason: unknown): void => {
      const ours = process.listeners('unhandledRejection').filter((one) => OURS in one);
      if (ours[0] !== listener) return;
      const run = running.getStore();
      if (run) return run.rejected(reason);
      // As if nobody listened: Node's default ends the process.
      if (process.listenerCount('unhandledRejection') === ours.length) throw reason;
    },
    { [OURS]: true },
  );
  process.on('unhandledRejection', listener);
  return () => process.off('unhandledRejection', listener);
}
