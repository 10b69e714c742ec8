import type { OnApplicationShutdown, OnModuleDestroy } from '@nestjs/common';
import type { Ackline } from '../ackline.js';
import type { QueueModuleOptions } from './queue-module-options.js';

const CLOSE_DEADLINE_MS = 10_000;
/** Of the deadline, for handlers to end; the rest is for the store. */
const DRAIN_SHARE = 0.8;

/** Closes a module's queue with the application, in two steps that Nest calls for at different times. */
export class QueueShutdown {
  readonly #ackline: Ackline;
  readonly #closes: boolean;
  readonly #deadlineMs: number;
  #spentMs = 0;

  constructor(ackline: Ackline, options: QueueModuleOptions) {
    this.#ackline = ackline;
    this.#closes = !('ackline' in options);
    this.#deadlineMs = options.closeDeadlineMs ?? CLOSE_DEADLINE_MS;
  }

  /** Nothing more is taken, and running handlers end, or are cut short in time. */
  async drain(): Promise<void> {
    const startedAt = performance.now();
    await Promise.all(this.#ackline.consumers().map((consumer) => consumer.close(this.#deadlineMs * DRAIN_SHARE)));
    this.#spentMs = performance.now() - startedAt;
  }

  /** Closes what the module made. */
  async close(): Promise<void> {
    if (this.#closes) await this.#ackline.close(Math.max(this.#deadlineMs - this.#spentMs, 0));
  }
}

/** As early as Nest allows: while what handlers use is still there. */
export function drainsEarly(shutdown: QueueShutdown): OnModuleDestroy {
  return { onModuleDestroy: () => shutdown.drain() };
}

/** At the very end: until then others publish. */
export function closesLast(shutdown: QueueShutdown): OnApplicationShutdown {
  return { onApplicationShutdown: () => shutdown.close() };
}
