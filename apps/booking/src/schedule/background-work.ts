import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Logger } from '@eticket/service';
import { LOGGER } from '../tokens.js';

/** How soon work that failed is tried again, unless its turn comes sooner. */
const RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;

/** Runs work at the start and then on schedule, one run at a time, until the service stops. */
@Injectable()
export class BackgroundWork implements OnModuleDestroy {
  private readonly stopping = new AbortController();
  private readonly running: Promise<void>[] = [];

  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  /** `work` ends early when its signal is aborted; what it throws is logged, and it is run again a little later. */
  every(name: string, everyMs: number, work: (signal: AbortSignal) => Promise<void>): void {
    this.running.push(this.repeat(name, everyMs, work));
  }

  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.running);
  }

  private async repeat(name: string, everyMs: number, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { signal } = this.stopping;
    let retryMs = RETRY_MS;
    while (!signal.aborted) {
      let waitMs = everyMs;
      try {
        await work(signal);
        retryMs = RETRY_MS;
      } catch (err) {
        // Below warning: a database that is away is told of by what needs it first.
        this.logger.debug({ err, work: name }, 'background work will be tried again');
        waitMs = Math.min(retryMs, everyMs);
        retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS);
      }
      await sleep(waitMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}
