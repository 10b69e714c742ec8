/**
 * What a ledger holds. Partition p of the ledger of queue Q and group G says everything about the group's work on
 * partition p of Q: who owns it, what is leased to whom, what is done, what waits. Kafka's order of the records is the
 * order of events; {@link LedgerState} reads the same from them in every process.
 *
 * Offsets are those of Q's partition unless a name says `ledger`. Times are the broker's, in milliseconds, as the
 * writer knew them.
 */
import type { PreviousEnd } from '../../../queue-driver.js';
import type { Range } from './ranges.js';

/** Every record but `init` and `redrive` says who wrote it. A worker's records are numbered; one that comes again, or late, is ignored. */
export interface Signed {
  readonly worker: string;
  readonly seq: number;
  readonly at: number;
}

/** Where the group starts in this partition. Only the first counts. */
export interface InitRecord {
  readonly type: 'init';
  readonly low: number;
}

/** The writer owns the partition from here on. Leases stay; later ones under an older claim are void. */
export interface ClaimRecord extends Signed {
  readonly type: 'claim';
}

/** Leases, each counted as a delivery. Good only under the newest claim, which is named by its ledger offset. */
export interface LeaseRecord extends Signed {
  readonly type: 'lease';
  readonly claim: number;
  readonly ranges: readonly Range[];
  /** With order by key: the hash of each offset's key, in order; '' for none. */
  readonly keys?: readonly string[];
  /** A suspect under a lease of its own. */
  readonly alone?: true;
}

/** Ends leases of the writer; what it does not hold is passed over. */
export interface SettleRecord extends Signed {
  readonly type: 'settle';
  readonly done?: readonly Range[];
  readonly released?: readonly Range[];
  readonly nacked?: readonly Nack[];
}

export type Nack = readonly [offset: number, due: number, errorCode: string];

/** What the owner notes about messages that nobody leases. */
export interface NoteRecord extends Signed {
  readonly type: 'note';
  readonly claim: number;
  /** Nothing to deliver: transaction markers, compacted or expired records. */
  readonly skipped?: readonly Range[];
  /** Not before `due`; with `due` 0 only put aside behind the head of its key. */
  readonly deferred?: readonly (readonly [offset: number, due: number, key: string])[];
}

/** The leases of these workers, found dead by the owner, are over. */
export interface VoidRecord extends Signed {
  readonly type: 'void';
  readonly claim: number;
  readonly workers: readonly string[];
}

/** The message itself, for when Q may not keep it long enough. The newest copy counts. */
export interface CopyRecord extends Signed {
  readonly type: 'copy';
  readonly offset: number;
  readonly round: number;
  readonly message: CopiedMessage;
}

/** A dead letter delivered again. `round` is how often that makes; a repeated write of one round counts once. */
export interface RedriveRecord {
  readonly type: 'redrive';
  readonly offset: number;
  readonly round: number;
  readonly key: string;
  readonly message: CopiedMessage;
}

export interface CopiedMessage {
  readonly id: string;
  readonly key: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly publishedAt: number;
  readonly payload: Uint8Array;
}

/** The whole state before it. Counts only where it lands on the ledger offset that it names, so that nothing came between. */
export interface SnapshotRecord extends Signed {
  readonly type: 'snapshot';
  readonly lands: number;
  readonly state: SnapshotState;
}

export interface SnapshotState {
  readonly low: number;
  readonly done: readonly Range[];
  readonly entries: readonly Entry[];
  readonly rounds: readonly (readonly [offset: number, round: number])[];
  readonly owner: string | undefined;
  readonly claim: number;
  readonly writers: readonly (readonly [worker: string, seq: number, at: number])[];
}

export type LedgerRecord =
  | InitRecord
  | ClaimRecord
  | LeaseRecord
  | SettleRecord
  | NoteRecord
  | VoidRecord
  | CopyRecord
  | RedriveRecord
  | SnapshotRecord;

export interface EntryLease {
  readonly worker: string;
  readonly ledgerOffset: number;
  readonly alone: boolean;
}

/** What is known of one message that is neither untouched nor settled. */
export interface Entry {
  readonly offset: number;
  /** How often it was redriven. */
  readonly round: number;
  /** Deliveries counted so far. */
  readonly count: number;
  readonly prior: PreviousEnd;
  /** Not to be delivered before; 0 means at once. */
  readonly due: number;
  /** When it was first leased; 0 when never. */
  readonly firstSeen: number;
  readonly lastError?: string | undefined;
  /** Hash of its key, where the group keeps order by key. */
  readonly key?: string | undefined;
  /** Ledger offset of the newest copy of the message, where there is one. */
  readonly copyAt?: number | undefined;
  readonly lease?: EntryLease | undefined;
}
