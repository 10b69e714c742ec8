import type { OnApplicationShutdown, OnModuleDestroy } from '@nestjs/common';
import type { Ackline } from '../ackline.js';
import type { QueueModuleOptions } from './queue-module-options.js';

const CLOSE_DEADLINE_MS = 10_000;
/** Of the deadline, for handlers to end; the rest is for the store. */
const DRAIN_SHARE = 0.8;

/**
 * Closes a module's queue with the application, by `app.close()` or a signal after `enableShutdownHooks()`: first the
 * handlers, while what they use is still there, then at the very end the store, which others publish to until then.
 */
export class QueueShutdown implements OnModuleDestroy, OnApplicationShutdown {
  readonly #ackline: Ackline;
  readonly #closes: boolean;
  readonly #deadlineMs: number;
  #spentMs = 0;

  constructor(ackline: Ackline, options: QueueModuleOptions) {
    this.#ackline = ackline;
    this.#closes = !('ackline' in options);
    this.#deadlineMs = options.closeDeadlineMs ?? CLOSE_DEADLINE_MS;
  }

  async onModuleDestroy(): Promise<void> {
    const startedAt = performance.now();
    await Promise.all(this.#ackline.consumers().map((consumer) => consumer.close(this.#deadlineMs * DRAIN_SHARE)));
    this.#spentMs = performance.now() - startedAt;
  }

  async onApplicationShutdown(): Promise<void> {
    if (this.#closes) await this.#ackline.close(Math.max(this.#deadlineMs - this.#spentMs, 0));
  }
}
