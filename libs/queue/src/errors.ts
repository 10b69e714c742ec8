/** Every code that this library's errors carry. */
export type QueueErrorCode =
  | 'already_settled'
  | 'broker_unavailable'
  | 'closed'
  | 'handler_timeout'
  | 'invalid_message'
  | 'invalid_option'
  | 'lease_lost'
  | 'reject'
  | 'redeliver'
  | 'stop_the_line';

/** The root of the family. `retryable` says whether the same call may succeed later. */
export abstract class QueueError extends Error {
  abstract readonly code: QueueErrorCode;
  abstract readonly retryable: boolean;
  override get name(): string {
    return this.constructor.name;
  }
}

/** The message is another worker's by now; nothing was settled. */
export class LeaseLostError extends QueueError {
  readonly code = 'lease_lost';
  readonly retryable = false;
}

/** A delivery is settled once. */
export class AlreadySettledError extends QueueError {
  readonly code = 'already_settled';
  readonly retryable = false;
}

/** The handler ran longer than `handlerTimeoutMs`; its message was nacked. */
export class HandlerTimeoutError extends QueueError {
  readonly code = 'handler_timeout';
  readonly retryable = true;
}

/** The consumer or the driver is closing or closed. */
export class ClosedError extends QueueError {
  readonly code = 'closed';
  readonly retryable = false;
}

/** A message that no driver can take: the error names the field and what would be right. */
export class InvalidMessageError extends QueueError {
  readonly code = 'invalid_message';
  readonly retryable = false;
}

/** An option out of its range: the error names the option and what would be right. */
export class InvalidOptionError extends QueueError {
  readonly code = 'invalid_option';
  readonly retryable = false;
}

/** The store behind the driver did not answer, or answered that it cannot now. `cause` is the client's error. */
export class BrokerUnavailableError extends QueueError {
  readonly code = 'broker_unavailable';
  readonly retryable = true;
}

/** Thrown by a handler: this message is hopeless, dead-letter it now. */
export class RejectError extends QueueError {
  readonly code = 'reject';
  readonly retryable = false;
  constructor(
    /** Goes to the dead letter: `[a-z0-9_.-]`, at most 64 characters, no personal data. */
    readonly errorCode: string,
    options?: ErrorOptions,
  ) {
    super(`rejected: ${errorCode}`, options);
  }
}

/** Thrown by a handler: deliver again, after this delay rather than the backoff's. A planned redelivery, not an error. */
export class RedeliverError extends QueueError {
  readonly code = 'redeliver';
  readonly retryable = true;
  constructor(
    readonly errorCode: string,
    readonly delayMs?: number,
    options?: ErrorOptions,
  ) {
    super(`deliver again: ${errorCode}`, options);
  }
}

/**
 * Thrown by a handler: the fault is ours, the same for every message (bad credentials, relay away). The worker pauses,
 * the message is released and no delivery is counted (promise 9).
 */
export class StopTheLineError extends QueueError {
  readonly code = 'stop_the_line';
  readonly retryable = true;
  constructor(
    readonly errorCode: string,
    options?: ErrorOptions,
  ) {
    super(`stop the line: ${errorCode}`, options);
  }
}
