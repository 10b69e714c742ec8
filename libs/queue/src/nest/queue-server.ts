import { Server } from '@nestjs/microservices';
import type { CustomTransportStrategy, MessageHandler } from '@nestjs/microservices';
import { isObservable, lastValueFrom } from 'rxjs';
import type { Ackline } from '../ackline.js';
import type { ConsumeOptions } from '../consume/consume-options.js';
import type { Consumer, ConsumerStatus } from '../consume/consumer.js';
import type { Delivery } from '../delivery.js';
import { InvalidOptionError } from '../errors.js';
import { readJson } from '../json.js';
import { QueueContext } from './queue-context.js';

/** Everything about consuming but what the server itself says. */
export type QueueServerConsumeOptions = Partial<Omit<ConsumeOptions, 'queue' | 'group'>>;

export interface QueueServerOptions {
  /** Stays the caller's: closed by the caller, after the server. */
  readonly ackline: Ackline;
  /** The consumer group of every handler of this server. */
  readonly group: string;
  /** For every queue. */
  readonly consume?: QueueServerConsumeOptions;
  /** For one queue, over what `consume` says. */
  readonly consumeQueue?: Readonly<Record<string, QueueServerConsumeOptions>>;
  /** How long `close` waits for running handlers. Default 10 s. */
  readonly closeDeadlineMs?: number;
}

/**
 * Nest transport: `@EventPattern('queue')` handles that queue's messages, its JSON payload as `@Payload()` and a
 * {@link QueueContext} as `@Ctx()`. A handler that completes has its message acked; one that fails in whatever way
 * (throws, rejects, an Observable that errors, a pipe or guard that refuses) has it delivered again, or dead-lettered.
 * Register {@link QueueExceptionFilter}, so that errors arrive as they were thrown.
 *
 * A pattern with two handlers, a `@MessagePattern` (a queue has no reply) or no handler at all stops the start.
 */
export class QueueServer extends Server implements CustomTransportStrategy {
  /** Failures are this server's to settle: Nest must not only log them. */
  override readonly propagatesEventHandlerErrors = true;
  readonly #options: QueueServerOptions;
  #consumers: readonly Consumer[] = [];

  constructor(options: QueueServerOptions) {
    super();
    this.#options = options;
  }

  listen(callback: (error?: unknown) => void): void {
    try {
      this.#checkHandlers();
      this.#consumers = [...this.getHandlers()].map(([queue, handler]) => this.#consume(queue, handler));
    } catch (error) {
      return callback(error);
    }
    callback();
  }

  async close(): Promise<void> {
    await Promise.all(this.#consumers.map((consumer) => consumer.close(this.#options.closeDeadlineMs ?? 10_000)));
  }

  /** By queue, how its consumer stands: `consuming` only when messages would really come. */
  consumerStatus(): Readonly<Record<string, ConsumerStatus>> {
    return Object.fromEntries(this.#consumers.map((consumer) => [consumer.queue, consumer.status()]));
  }

  on(): never {
    throw new InvalidOptionError('QueueServer has no events: give Ackline an observer.');
  }

  unwrap<T>(): T {
    return this.#options.ackline as T;
  }

  #checkHandlers(): void {
    const handlers = [...this.getHandlers()];
    if (handlers.length === 0) {
      throw new InvalidOptionError(
        `group ${this.#options.group} has no @EventPattern handler: nothing would be consumed.`,
      );
    }
    for (const [queue, handler] of handlers) {
      if (!handler.isEventHandler) {
        throw new InvalidOptionError(
          `@MessagePattern('${queue}') waits for a reply, which a queue has not: use @EventPattern.`,
        );
      }
      if (handler.next) {
        throw new InvalidOptionError(
          `queue ${queue} has two @EventPattern handlers in group ${this.#options.group}: keep one.`,
        );
      }
    }
    for (const queue of Object.keys(this.#options.consumeQueue ?? {})) {
      if (!this.getHandlers().has(queue)) {
        throw new InvalidOptionError(`consumeQueue names ${queue}, which no @EventPattern handles.`);
      }
    }
  }

  #consume(queue: string, handler: MessageHandler): Consumer {
    const { ackline, group, consume, consumeQueue } = this.#options;
    return ackline.consume({ ...consume, ...consumeQueue?.[queue], queue, group }, (delivery) =>
      handle(handler, delivery),
    );
  }
}

async function handle(handler: MessageHandler, delivery: Delivery): Promise<void> {
  const result: unknown = await handler(readJson(delivery.message), new QueueContext([delivery]));
  if (isObservable(result)) await lastValueFrom(result, { defaultValue: undefined });
}
