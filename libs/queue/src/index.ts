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
