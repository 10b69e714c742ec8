import { Server } from '@nestjs/microservices';
import type { CustomTransportStrategy, MessageHandler } from '@nestjs/microservices';
import { isObservable, lastValueFrom, takeUntil, fromEvent } from 'rxjs';
import type { Ackline } from '../ackline.js';
import type { ConsumeOptions } from '../consume/consume-options.js';
import type { Consumer, ConsumerStatus } from '../consume/consumer.js';
import type { Delivery } from '../delivery.js';
import { InvalidOptionError } from '../errors.js';
import { readJson } from '../json.js';
import { HiddenError, isHidden } from './hidden-error.js';
import { HandlerRun, watchRejections } from './left-behind.js';
import { QueueContext } from './queue-context.js';

/** Everything about consuming but what the server itself says. */
export type QueueServerConsumeOptions = Partial<Omit<ConsumeOptions, 'queue' | 'group'>>;

/** Transport of a {@link QueueServer} that is given no other: `@EventPattern<string>('orders', QUEUE_TRANSPORT)`. */
export const QUEUE_TRANSPORT = Symbol('ackline');

/** What a {@link QueueServer} consumes, and how. */
export interface QueueServerOptions {
  /** Stays the caller's: closed by the caller, or its `QueueModule`, after the server. */
  readonly ackline: Ackline;
  /** The consumer group of every handler of this server. */
  readonly group: string;
  /** For every queue. */
  readonly consume?: QueueServerConsumeOptions;
  /** For one queue, over what `consume` says. */
  readonly consumeQueue?: Readonly<Record<string, QueueServerConsumeOptions>>;
  /** How long `close` waits for running handlers. Default 10 s. */
  readonly closeDeadlineMs?: number;
  /**
   * Handlers that name another transport are not this server's; those that name none are everyone's. For two groups in
   * one application. Default {@link QUEUE_TRANSPORT}.
   */
  readonly transportId?: symbol;
}

/**
 * Nest transport: `@EventPattern('queue')` handles that queue's messages, its JSON payload as `@Payload()` and a
 * {@link QueueContext} as `@Ctx()`. A handler that completes has its message acked; one that fails in whatever way
 * (throws or rejects with anything, an Observable that errors, a pipe or guard that refuses, a promise that it left behind
 * and that is rejected) has it delivered again, or dead-lettered. What is rejected only after the ack is logged as an error.
 * Register `QueueExceptionFilter`, so that errors arrive as they were thrown.
 *
 * A pattern with two handlers, a `@MessagePattern` (a queue has no reply) or no handler at all stops the start.
 */
export class QueueServer extends Server implements CustomTransportStrategy {
  /** Failures are this server's to settle: Nest must not only log them. */
  override readonly propagatesEventHandlerErrors = true;
  override readonly transportId: symbol;
  readonly #options: QueueServerOptions;
  #consumers: readonly Consumer[] = [];
  #stopWatching = (): void => undefined;
  #hasToldOfHidden = false;

  constructor(options: QueueServerOptions) {
    super();
    this.#options = options;
    this.transportId = options.transportId ?? QUEUE_TRANSPORT;
  }

  /** Called by Nest. Consumes every queue that has a handler; a wrong one goes to the callback, and nothing is consumed. */
  listen(callback: (error?: unknown) => void): void {
    const consumers: Consumer[] = [];
    try {
      this.#checkHandlers();
      for (const [queue, handler] of this.getHandlers()) consumers.push(this.#consume(queue, handler));
    } catch (error) {
      void Promise.all(consumers.map((consumer) => consumer.close(0))).then(() => callback(error));
      return;
    }
    this.#consumers = consumers;
    this.#stopWatching = watchRejections();
    callback();
  }

  /** Called by Nest. Takes no more, and waits for running handlers until `closeDeadlineMs`; works twice. */
  async close(): Promise<void> {
    await Promise.all(this.#consumers.map((consumer) => consumer.close(this.#options.closeDeadlineMs ?? 10_000)));
    this.#stopWatching();
  }

  /** By queue, how its consumer stands: `consuming` only when messages would really come. */
  consumerStatus(): Readonly<Record<string, ConsumerStatus>> {
    return Object.fromEntries(this.#consumers.map((consumer) => [consumer.queue, consumer.status()]));
  }

  /** Refused: what a queue does is told to the observer of its `Ackline`. @throws InvalidOptionError */
  on(): never {
    throw new InvalidOptionError('QueueServer has no events: give Ackline an observer.');
  }

  /** The `Ackline` beneath. */
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
      this.#deliver(handler, delivery),
    );
  }

  async #deliver(handler: MessageHandler, delivery: Delivery): Promise<void> {
    const run = new HandlerRun((reason) => this.#reportLate(delivery, reason));
    try {
      await run.run(() => this.#withHooks(new QueueContext([delivery]), (context) => handle(handler, context)));
    } catch (thrown) {
      if (!isHidden(thrown)) throw thrown;
      this.#tellOfHidden(delivery);
      throw new HiddenError();
    }
  }

  /** Nest's own instrumentation, where an application has set some. */
  #withHooks(context: QueueContext, work: (context: QueueContext) => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const done = (): Promise<void> =>
        work(context)
          .then(resolve, reject)
          .finally(() => this.onProcessingEndHook?.(this.transportId, context));
      this.onProcessingStartHook(this.transportId, context, done);
    });
  }

  #reportLate({ message, group }: Delivery, reason: unknown): void {
    this.logger.error(
      `Message ${message.id} of queue ${message.queue} was settled in group ${group} when a promise that its handler had not awaited was rejected: await it, so that it fails the message.`,
      reason instanceof Error ? reason.stack : String(reason),
    );
  }

  #tellOfHidden({ message }: Delivery): void {
    if (this.#hasToldOfHidden) return;
    this.#hasToldOfHidden = true;
    this.logger.error(
      `A handler of queue ${message.queue} failed with an error that Nest's own filter replaced, so that RejectError and its kin do nothing: provide QueueExceptionFilter as APP_FILTER (in a hybrid application with inheritAppConfig), or @UseFilters(QueueExceptionFilter).`,
    );
  }
}

async function handle(handler: MessageHandler, context: QueueContext): Promise<void> {
  const { message, signal } = context.delivery;
  const result: unknown = await handler(readJson(message), context);
  if (!isObservable(result)) return;
  // Whoever subscribed must unsubscribe once the delivery is no longer this handler's.
  await lastValueFrom(result.pipe(takeUntil(fromEvent(signal, 'abort'))), { defaultValue: undefined });
}
