import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { HealthIndicatorService } from '@nestjs/terminus';
import type { HealthIndicatorResult } from '@nestjs/terminus';
import { Ackline } from '../../ackline.js';
import { acklineToken } from '../queue-tokens.js';

/** Whose health is asked for. */
export interface QueueHealthOptions {
  /** Of which `QueueModule`, where it has a name. */
  readonly name?: string;
  /** Queues that must be consumed; left out, at least one must. */
  readonly queues?: readonly string[];
}

type Consumers = ReturnType<Ackline['consumers']>;

/**
 * Health of a `QueueModule` for `@nestjs/terminus`. Provide it beside `TerminusModule`; it finds the module's `Ackline`
 * by itself.
 *
 * @example
 * this.health.check([() => this.queue.isConsuming('queue'), () => this.queue.isReachable('store')]);
 */
@Injectable()
export class QueueHealthIndicator {
  constructor(
    private readonly health: HealthIndicatorService,
    private readonly modules: ModuleRef,
  ) {}

  /**
   * Up while messages would really come. Down, with the reason, when nothing consumes, when a wanted queue has no
   * consumer, or when a consumer does not consume: it has not joined yet, the store is away, its line is stopped, it is
   * closing.
   */
  isConsuming<const Key extends string>(
    key: Key,
    { name, queues = [] }: QueueHealthOptions = {},
  ): HealthIndicatorResult<Key> {
    const consumers = this.#ackline(name).consumers();
    const reasons = reasonsAgainst(consumers, queues);
    const indicator = this.health.check(key);
    if (reasons.length > 0) return indicator.down(reasons.join('; '));
    return indicator.up({ queues: [...new Set(consumers.map(({ queue }) => queue))] });
  }

  /** Up while the store answers within `deadlineMs` (default 2 s): for what only publishes. */
  async isReachable<const Key extends string>(
    key: Key,
    { name, deadlineMs = 2_000 }: { readonly name?: string; readonly deadlineMs?: number } = {},
  ): Promise<HealthIndicatorResult<Key>> {
    const indicator = this.health.check(key);
    try {
      await this.#ackline(name).ping(deadlineMs);
      return indicator.up();
    } catch (error) {
      return indicator.down(error instanceof Error ? error.message : String(error));
    }
  }

  #ackline(name: string | undefined): Ackline {
    return this.modules.get<Ackline>(acklineToken(name), { strict: false });
  }
}

function reasonsAgainst(consumers: Consumers, queues: readonly string[]): readonly string[] {
  if (consumers.length === 0) return ['nothing is consumed'];
  const missing = queues
    .filter((queue) => !consumers.some((consumer) => consumer.queue === queue))
    .map((queue) => `${queue}: not consumed`);
  const idle = consumers.flatMap((consumer) => {
    const status = consumer.status();
    if (status.state === 'consuming' || status.state === 'reading') return [];
    return [`${consumer.queue}: ${status.state}${'why' in status ? `, ${status.why}` : ''}`];
  });
  return [...missing, ...idle];
}
