import { LeaseLostError } from '../../../errors.js';
import type { GroupMember, Lease } from '../../../queue-driver.js';
import type { StoredMessage } from '../kafka-message.js';
import type { Entry } from '../ledger/records.js';
import type { PartitionSession } from './partition-session.js';
import type { Ending } from './pending-writes.js';

/** Who carries out what the engine says of a lease. */
export interface LeaseEnder {
  endLease(held: Held, ending: Ending): Promise<void>;
  dueTime(delayMs: number): number;
}

/** A lease of this worker, from its durable record to its durable end. One object a message: there are very many. */
export class Held implements Lease {
  /** Handed to the engine; before that it only waits its turn. */
  given = false;
  lost = false;
  /** How it is to end, once that is known. */
  ending: Ending | undefined;
  /** Nothing can be said of it any more: it is settled, given back or lost. */
  isOver = false;
  /** Who gave it to the engine, and who ends it. */
  giver: GroupMember | undefined;
  ender: LeaseEnder | undefined;
  /** Monotonic time after which who waits for its end is told that it takes too long. */
  deadline = Number.POSITIVE_INFINITY;
  #ended: Promise<void> | undefined;
  #resolve: (() => void) | undefined;
  #reject: ((error: Error) => void) | undefined;

  #id: string | undefined;

  constructor(
    private readonly number: number,
    readonly session: PartitionSession,
    readonly message: StoredMessage,
    /** As it was leased. */
    readonly entry: Entry,
  ) {}

  get id(): string {
    this.#id ??= this.session.leaseId(this.number);
    return this.#id;
  }

  /** Resolves when the ledger has the end; rejects where the ledger says that the lease was over before. */
  ended(): Promise<void> {
    if (this.isOver) return this.lost ? Promise.reject(leaseLost()) : Promise.resolve();
    this.#ended ??= new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    return this.#ended;
  }

  /** The ledger has its end, or has refused it. */
  ends(refused: boolean): void {
    this.isOver = true;
    if (refused) this.lost = true;
    if (refused) this.#reject?.(leaseLost());
    else this.#resolve?.();
  }

  /** The end goes on being tried; who waits for it now is told why not longer. */
  stopWaiting(error: Error): void {
    const reject = this.#reject;
    this.#ended = this.#resolve = this.#reject = undefined;
    this.deadline = Number.POSITIVE_INFINITY;
    reject?.(error);
  }
}

export function leaseLost(): LeaseLostError {
  return new LeaseLostError('the lease is lost: the message is another worker’s by now.');
}
