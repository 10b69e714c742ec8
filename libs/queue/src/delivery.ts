import type { Message } from './message.js';

/** How a nack says when, and why, to deliver again. */
export interface NackOptions {
  /** Milliseconds until the next delivery, at most 30 days. Left out, the consumer's backoff decides. */
  readonly delayMs?: number;
  /** A short code for operators (`[a-z0-9_.-]`, at most 64 characters); no personal data. */
  readonly errorCode?: string;
}

/** How a reject says why. */
export interface RejectOptions {
  /** A short code for operators (`[a-z0-9_.-]`, at most 64 characters); no personal data. */
  readonly errorCode: string;
}

/**
 * One handing of a message to a handler. A handler that returns without settling has its delivery acked; one that
 * throws has it nacked, or rejected once `maxDeliveries` is reached.
 */
export interface Delivery {
  readonly message: Message;
  readonly group: string;
  /** 1 for the first delivery; survives crashes, rebalances and every hop (promise 4). */
  readonly deliveryCount: number;
  /** When the message was first delivered to this group. */
  readonly firstSeenAt: Date;
  /** Code of the failure that ended the delivery before this one. */
  readonly lastErrorCode: string | undefined;
  /**
   * Aborts when the delivery is no longer this handler's: its lease is lost, `handlerTimeoutMs` has passed, or the
   * consumer closes and its deadline has come. `signal.reason` is the {@link QueueError}.
   */
  readonly signal: AbortSignal;

  /**
   * Done. Resolves when the settlement is durable (promise 1).
   * @throws LeaseLostError when the message is another worker's by now (promise 3).
   * @throws AlreadySettledError when this delivery was settled before.
   */
  ack(): Promise<void>;

  /**
   * Not done: deliver again, after the backoff or the delay named (promise 5). The last allowed delivery becomes a
   * dead letter instead.
   * @throws LeaseLostError, AlreadySettledError as for ack.
   * @throws InvalidOptionError when the delay is out of its range; nothing is settled then.
   */
  nack(options?: NackOptions): Promise<void>;

  /**
   * Hopeless: dead-letter now (promise 6).
   * @throws LeaseLostError, AlreadySettledError as for ack.
   */
  reject(options: RejectOptions): Promise<void>;
}

/** Handles one delivery. Whatever way it fails, fails the delivery and nothing else. */
export type Handler = (delivery: Delivery) => Promise<void> | void;
