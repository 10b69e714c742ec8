/**
 * The port between the engine (`consume/`) and a store. A driver knows how to take, settle and store; every rule
 * (concurrency, backoff, maxDeliveries, handler timeouts, stop the line, drain) sits once, in the engine.
 *
 * The promises are numbered as in docs/promises.md; `testing/` has a case for each, which every driver passes.
 */
import type { Message, MessageHeaders, PreparedMessage } from './message.js';

/** What a driver can do, as data. The contract suite and the docs read it; no code asks for a driver's name. */
export interface DriverFeatures {
  readonly name: string;
  /** Published messages survive the end of every process. */
  readonly durable: boolean;
  /** Workers in several processes can share one queue. */
  readonly multiProcess: boolean;
  /** `enqueue(tx, …)` writes straight into the queue; otherwise an outbox table and a relay stand between. */
  readonly transactionalPublish: boolean;
  /** Largest payload in bytes. */
  readonly maxPayloadBytes: number;
}

/** Where a group that has never existed starts. */
export type GroupStart = 'beginning' | 'latest';

/** Promise 7. With `key`, a key whose head waits for redelivery is blocked, or overtaken. */
export type DeliveryOrder =
  { readonly by: 'none' } | { readonly by: 'key'; readonly whenHeadWaits: 'block' | 'overtake' };

/** What a worker joins a group with. */
export interface GroupOptions {
  readonly queue: string;
  readonly group: string;
  readonly from: GroupStart;
  readonly order: DeliveryOrder;
  /** A worker not heard of for this long loses its leases. */
  readonly visibilityTimeoutMs: number;
}

/** Names a worker's hold on one message. Only its driver reads what is inside. */
export interface Lease {
  readonly id: string;
}

/**
 * How the delivery before this one ended. After `crashed` the message was in flight beside others when its worker died:
 * no evidence against it. After `crashed-alone` it was the only suspect under lease there.
 */
export type PreviousEnd = 'none' | 'nacked' | 'crashed' | 'crashed-alone';

/** A leased message, ready to be handled. */
export interface TakenMessage {
  readonly lease: Lease;
  readonly message: Message;
  /** Counts this delivery too: 1 for the first. */
  readonly deliveryCount: number;
  readonly firstSeenAt: Date;
  readonly lastErrorCode: string | undefined;
  readonly previousEnd: PreviousEnd;
}

/** How much a worker can take now. At least one message is given however large it is. */
export interface TakeLimit {
  readonly messages: number;
  readonly bytes: number;
}

/** Why a message was given up on: its handler said so, or `maxDeliveries` was reached. */
export type DeadLetterReason = 'rejected' | 'max_deliveries';

/** How a delivery ends, decided by the engine. */
export type Settlement =
  | { readonly type: 'ack' }
  | { readonly type: 'nack'; readonly delayMs: number; readonly errorCode: string }
  | { readonly type: 'reject'; readonly reason: DeadLetterReason; readonly errorCode: string };

/** Whether a member of a group is really consuming; readiness probes show it. */
export type MemberStatus = { readonly consuming: true } | { readonly consuming: false; readonly why: string };

/** One worker's membership of one group. */
export interface GroupMember {
  /** UUID, the same for as long as this membership lasts. */
  readonly workerId: string;

  /**
   * Leases up to `limit` messages that are due, oldest first; resolves with `[]` when `signal` aborts or after at most
   * about a second without any, so that the engine can look around.
   *
   * - The lease is durable before this resolves, and the delivery counted (promise 4).
   * - A suspect comes alone in its answer, and this member holds at most one suspect at a time.
   * - With `order.by: 'key'`, no message is given while an earlier one of its key is leased, or (`block`) waits (promise 7).
   * - A waiting message holds up no other (promise 5), nor does a slow one (promise 2).
   *
   * @throws BrokerUnavailableError; the engine backs off and calls again.
   */
  take(limit: TakeLimit, signal: AbortSignal): Promise<readonly TakenMessage[]>;

  /**
   * Ends the delivery. Resolves when the settlement is durable; a dead letter is stored before, or with it (promises 1, 6).
   * Settling one message never waits for, and never decides, another's fate (promise 2). Settlements that one write makes
   * durable may share a promise; it then resolves with those of their leases that were lost, if any.
   * @throws LeaseLostError, BrokerUnavailableError (the message stays leased).
   */
  settle(lease: Lease, settlement: Settlement): Promise<ReadonlySet<Lease> | void>;

  /** Gives leases back: due at once, the delivery not counted (promises 8, 9). Lost leases are passed over. */
  release(leases: readonly Lease[]): Promise<void>;

  /** Calls `listener` when a lease of this member is another's, or will be before it can be renewed (promise 3). */
  onLeaseLost(listener: (lease: Lease) => void): void;

  status(): MemberStatus;

  /** Leaves the group and releases what is left, within `deadlineMs`; never throws; works twice (promise 10). */
  leave(deadlineMs: number): Promise<void>;
}

/** Where an ephemeral consumer starts (promise 11). */
export type EphemeralStart = 'latest' | 'beginning' | { readonly last: number };

/** What an ephemeral reader is opened with. */
export interface EphemeralOptions {
  readonly queue: string;
  readonly from: EphemeralStart;
}

/** A broadcast reader: sees every message from its start on, in publish order per key; settles nothing (promise 11). */
export interface EphemeralReader {
  /** As {@link GroupMember.take}; what one call gave counts as seen when the next is made. */
  take(limit: TakeLimit, signal: AbortSignal): Promise<readonly Message[]>;
  /** Leaves nothing behind. Never throws; works twice. */
  close(deadlineMs: number): Promise<void>;
}

/** A message given up on (promise 6). Payload, key and headers are the original's. */
export interface DeadLetter {
  readonly id: string;
  readonly queue: string;
  readonly group: string;
  readonly key: string | undefined;
  readonly payload: Uint8Array;
  readonly headers: MessageHeaders;
  readonly reason: DeadLetterReason;
  readonly errorCode: string;
  readonly deliveryCount: number;
  /** How often it was redriven before. */
  readonly redriveCount: number;
  readonly publishedAt: Date;
  readonly firstSeenAt: Date;
  readonly deadAt: Date;
  readonly origin: string;
}

/** All conditions must hold; none given selects all. */
export interface DeadLetterFilter {
  readonly ids?: readonly string[];
  readonly key?: string;
  readonly errorCode?: string;
  readonly reason?: DeadLetterReason;
  readonly deadBefore?: Date;
  readonly deadAfter?: Date;
}

/** One act on dead letters, as the audit keeps it. */
export interface DeadLetterAudit {
  readonly at: Date;
  /** Who asked, as the caller named them. */
  readonly actor: string;
  readonly action: 'redrive' | 'discard';
  readonly messageId: string;
}

/** A group's dead letters as a driver keeps them; `DeadLetters` is what applications use. */
export interface DeadLetterStore {
  /** Oldest first; pass the last one's `id` and `deadAt` as `after` for the next page. At most 1,000 a page. */
  list(
    filter: DeadLetterFilter,
    page: { readonly limit: number; readonly after?: DeadLetter },
  ): Promise<readonly DeadLetter[]>;
  /** Counts by error code. */
  countByError(filter: DeadLetterFilter): Promise<readonly { readonly errorCode: string; readonly count: number }[]>;
  /**
   * Delivers these again to this group, under their own ids, deliveryCount starting anew; those not there are passed
   * over. Each either moves whole or stays. Resolves with how many moved.
   */
  redrive(ids: readonly string[], actor: string): Promise<number>;
  /** Removes these for good. Resolves with how many there were. */
  discard(ids: readonly string[], actor: string): Promise<number>;
  /** Newest first. */
  audit(limit: number): Promise<readonly DeadLetterAudit[]>;
}

/** Where a group stands. */
export interface GroupStats {
  readonly queue: string;
  readonly group: string;
  /** Due now and not leased. */
  readonly ready: number;
  /** Delayed, or waiting for redelivery. */
  readonly waiting: number;
  readonly inFlight: number;
  readonly deadLetters: number;
  /** Age of the oldest message not settled; undefined when all are. */
  readonly oldestAgeMs: number | undefined;
}

/** One process's connection to a store: what a driver implements, and `Ackline` is given. */
export interface QueueDriver {
  readonly features: DriverFeatures;

  /**
   * Prepares the store (tables, topics); waits for it as long as `signal` allows. Every other method may be called
   * without it and then prepares what it needs.
   */
  start(signal?: AbortSignal): Promise<void>;

  /**
   * Stores the messages in the order given. Resolves when all are durable; every group that exists gets each of them
   * (promises 1, 11). When it throws, some may have been stored: publish again under the same ids.
   * @throws BrokerUnavailableError, InvalidMessageError (too large for this driver).
   */
  publish(queue: string, messages: readonly PreparedMessage[]): Promise<void>;

  /** Makes the group where it is new, and joins it as a worker. */
  join(options: GroupOptions): Promise<GroupMember>;

  openEphemeral(options: EphemeralOptions): Promise<EphemeralReader>;

  deadLetters(queue: string, group: string): DeadLetterStore;

  /** Every queue with its groups. */
  queues(): Promise<readonly { readonly queue: string; readonly groups: readonly string[] }[]>;

  stats(queue: string, group: string): Promise<GroupStats>;

  /** Resolves when the store answers; @throws BrokerUnavailableError when it does not within `deadlineMs`. */
  ping(deadlineMs: number): Promise<void>;

  /** Gives back every resource within `deadlineMs`, with the store gone too; never throws; works twice (promise 10). */
  close(deadlineMs: number): Promise<void>;
}
