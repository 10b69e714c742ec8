import type { Delivery, Handler } from './delivery.js';
import type { TailHandler } from './consume/tail-consumer.js';
import type { Message, PreparedMessage } from './message.js';

/**
 * Follows a message from its publishing to its handlers. `ackline/opentelemetry` makes one; without it nothing is
 * added to a message and nothing is called.
 */
export interface Tracing {
  /** Runs `store` with the messages, which may have been given headers that name the trace. */
  publish<T>(
    queue: string,
    messages: readonly PreparedMessage[],
    store: (messages: readonly PreparedMessage[]) => Promise<T>,
  ): Promise<T>;
  /** Runs the handler of one delivery; settles and rejects as it does. */
  handle(delivery: Delivery, handler: Handler): Promise<void>;
  /** Runs the handler of a broadcast; settles and rejects as it does. */
  handleTail(message: Message, handler: TailHandler): Promise<void>;
}
