import { LeaseLostError } from '../../../errors.js';
import type { Message } from '../../../message.js';
import type { GroupMember, Lease, PreviousEnd, TakenMessage } from '../../../queue-driver.js';
import { toMessage } from '../kafka-message.js';
import type { StoredMessage } from '../kafka-message.js';
import type { Entry } from '../ledger/records.js';
import type { EndingBatch } from './ending-batch.js';
import type { PartitionSession } from './partition-session.js';
import type { Ending } from './pending-writes.js';

/** Who carries out what the engine says of a lease. */
export interface LeaseEnder {
  /** Who gives to the engine. */
  readonly member: GroupMember;
  endLease(held: Held, ending: Ending): ReturnType<GroupMember['settle']>;
  dueTime(delayMs: number): number;
}

/** A lease of this worker, from when it is given to its durable end. One object a message: there are very many. */
export class Held implements Lease, TakenMessage {
  readonly message: Message;
  lost = false;
  /** How it is to end, once that is known. */
  ending: Ending | undefined;
  /** Nothing can be said of it any more: it is settled, given back or lost. */
  isOver = false;
  /** Whose record says the end. */
  batch: EndingBatch | undefined;

  constructor(
    readonly session: PartitionSession,
    readonly offset: number,
    message: StoredMessage,
    /** As it was leased; that of a neighbour does as well. */
    private readonly entry: Entry,
  ) {
    this.message = toMessage(session.queue, session.place + offset, message);
  }

  /** Names the lease among all of a member's. */
  get id(): string {
    return `${this.message.origin}/${this.entry.lease?.ledgerOffset}`;
  }

  get lease(): Lease {
    return this;
  }

  get deliveryCount(): number {
    return this.entry.count;
  }

  get firstSeenAt(): Date {
    return new Date(this.entry.firstSeen);
  }

  get lastErrorCode(): string | undefined {
    return this.entry.lastError;
  }

  get previousEnd(): PreviousEnd {
    return this.entry.prior;
  }

  get redriveCount(): number {
    return this.entry.round;
  }

  get copyAt(): number | undefined {
    return this.entry.copyAt;
  }
}

export function leaseLost(): LeaseLostError {
  return new LeaseLostError('the lease is lost: the message is another worker’s by now.');
}
