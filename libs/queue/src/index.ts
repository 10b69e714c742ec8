export { systemClock } from './clock.js';
export type { Cancel, Clock } from './clock.js';
export type { Delivery, Handler, NackOptions, RejectOptions } from './delivery.js';
export {
  AlreadySettledError,
  BrokerUnavailableError,
  ClosedError,
  HandlerTimeoutError,
  InvalidMessageError,
  InvalidOptionError,
  LeaseLostError,
  QueueError,
  RedeliverError,
  RejectError,
  StopTheLineError,
} from './errors.js';
export type { QueueErrorCode } from './errors.js';
export { MAX_DELAY_MS } from './message.js';
export type { Message, MessageHeaders, OutgoingMessage, PreparedMessage } from './message.js';
export type {
  DeadLetter,
  DeadLetterAudit,
  DeadLetterFilter,
  DeadLetterReason,
  DeadLetterStore,
  DeliveryOrder,
  DriverFeatures,
  EphemeralOptions,
  EphemeralReader,
  EphemeralStart,
  GroupMember,
  GroupOptions,
  GroupStart,
  GroupStats,
  Lease,
  MemberStatus,
  PreviousEnd,
  QueueDriver,
  Settlement,
  TakeLimit,
  TakenMessage,
} from './queue-driver.js';
export { Ackline } from './ackline.js';
export type { AcklineOptions } from './ackline.js';
export type { Backoff } from './consume/backoff.js';
export type { ConsumeOptions } from './consume/consume-options.js';
export type { Consumer, ConsumerStatus } from './consume/consumer.js';
export type { TailConsumer, TailHandler, TailOptions, TailStatus } from './consume/tail-consumer.js';
export { DeadLetters } from './dead-letters.js';
export type { DeadLetterAct, DeadLetterActionOptions } from './dead-letters.js';
export { JSON_CONTENT_TYPE, jsonMessage, readJson } from './json.js';
export type { QueueEvent, QueueObserver } from './observer.js';
export type { Tracing } from './tracing.js';
