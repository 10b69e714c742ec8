import type { CopiedMessage, InitRecord, LedgerRecord, Nack, Signed } from '../ledger/records.js';
import { mergedRanges, toRanges } from '../ledger/ranges.js';
import type { Range } from '../ledger/ranges.js';
import type { Candidate } from './candidates.js';
import { EndingBatch } from './ending-batch.js';
import type { Held } from './held.js';

type Unsigned<T> = T extends Signed ? Omit<T, keyof Signed> : never;
export type UnsignedRecord = Unsigned<LedgerRecord> | InitRecord;

/** How a lease ends, as the ledger is told. */
export type Ending =
  | { readonly type: 'done' | 'released' }
  | { readonly type: 'nacked'; readonly due: number; readonly errorCode: string };

/** One record to write, and what to do once it has been applied. */
export interface PendingRecord {
  readonly record: UnsignedRecord;
  readonly applied: (refused: ReadonlySet<number>, counted: boolean) => void;
}

/** Copies go until about this many bytes; a batch has to stay below the topic's limit. */
const BATCH_BYTES = 512 * 1024;
/** Keeps a settle or lease record within some tens of kilobytes, also where no two offsets are neighbours. */
const BATCH_OFFSETS = 4_000;

/**
 * What is to be written to one ledger partition. Gathers settlements and leases, so that one write carries all that
 * came since the last: a few small records a batch of messages instead of two a message.
 */
export class PendingWrites {
  readonly #urgent: PendingRecord[] = [];
  /** Gathered, and on their way until the ledger has them. */
  readonly #gathered: EndingBatch[] = [];
  readonly #underWay = new Set<EndingBatch>();
  #released: Range[] = [];
  #copies: { readonly offset: number; readonly round: number; readonly message: CopiedMessage }[] = [];
  #deferred: (readonly [offset: number, due: number, key: string])[] = [];
  #leases: Candidate[] = [];

  get isEmpty(): boolean {
    const settlements = this.#gathered.length + this.#released.length;
    return this.#urgent.length + settlements + this.#copies.length + this.#deferred.length + this.#leases.length === 0;
  }

  get leases(): number {
    return this.#leases.length;
  }

  /** Before all else, in the order given. */
  add(record: PendingRecord): void {
    this.#urgent.push(record);
  }

  /** Its `ending` says how. */
  end(held: Held): void {
    let batch = this.#gathered.at(-1);
    if (!batch || batch.held.length >= BATCH_OFFSETS) this.#gathered.push((batch = new EndingBatch()));
    batch.add(held);
  }

  /** Leases given back, on which nobody waits. */
  release(from: number, to: number): void {
    this.#released.push([from, to]);
  }

  copy(offset: number, round: number, message: CopiedMessage): void {
    this.#copies.push({ offset, round, message });
  }

  defer(offset: number, due: number, key: string): void {
    this.#deferred.push([offset, due, key]);
  }

  lease(candidate: Candidate): void {
    this.#leases.push(candidate);
  }

  /** Leases not yet on the way, to be taken back. */
  takeLeases(): readonly Candidate[] {
    return this.#leases.splice(0);
  }

  /** The records of the next write. `claim` names the claim that leases and notes stand under. */
  drain(
    claim: number,
    keepsOrder: boolean,
    leased: (candidates: readonly Candidate[]) => PendingRecord['applied'],
  ): PendingRecord[] {
    const records = this.#urgent.splice(0);
    if (this.#gathered.length + this.#released.length > 0) records.push(this.#settle());
    if (this.#deferred.length > 0) {
      records.push({
        record: { type: 'note', claim, deferred: this.#deferred.splice(0, BATCH_OFFSETS) },
        applied: ignore,
      });
    }
    for (let bytes = 0; this.#copies.length > 0 && bytes < BATCH_BYTES;) {
      const copy = this.#copies.shift()!;
      bytes += copy.message.payload.byteLength + 1_024;
      records.push({ record: { type: 'copy', ...copy }, applied: ignore });
    }
    records.push(...this.#leaseRecords(claim, keepsOrder, leased));
    return records;
  }

  /** Who waits for a settlement past their deadline is told so. */
  stopWaiting(now: number, error: () => Error): void {
    for (const batch of [...this.#underWay, ...this.#gathered]) batch.stopWaiting(now, error);
  }

  /** Ends everything that waits: nothing will be written any more. */
  abandon(): void {
    for (const batch of [...this.#underWay, ...this.#gathered.splice(0)]) batch.end(() => true);
    this.#underWay.clear();
    this.#urgent.length = this.#released.length = this.#copies.length = this.#deferred.length = this.#leases.length = 0;
  }

  #settle(): PendingRecord {
    const batch = this.#gathered.shift() ?? new EndingBatch();
    this.#underWay.add(batch);
    const doneOffsets: number[] = [];
    const releasedOffsets: number[] = [];
    const nacked: Nack[] = [];
    for (const { offset, ending } of batch.held) {
      if (ending?.type === 'nacked') nacked.push([offset, ending.due, ending.errorCode]);
      else (ending?.type === 'done' ? doneOffsets : releasedOffsets).push(offset);
    }
    const done = toRanges(doneOffsets.sort(ascending));
    const released = [...toRanges(releasedOffsets.sort(ascending)), ...this.#released.splice(0, BATCH_OFFSETS)];
    return {
      record: {
        type: 'settle',
        ...(done.length > 0 ? { done } : {}),
        ...(released.length > 0 ? { released } : {}),
        ...(nacked.length > 0 ? { nacked } : {}),
      },
      applied: (refused, counted) => {
        this.#underWay.delete(batch);
        batch.end(({ offset }) => !counted || refused.has(offset));
      },
    };
  }

  #leaseRecords(
    claim: number,
    keepsOrder: boolean,
    leased: (candidates: readonly Candidate[]) => PendingRecord['applied'],
  ): PendingRecord[] {
    const all = this.#leases.splice(0, BATCH_OFFSETS);
    const suspects = all.filter(({ suspect }) => suspect);
    const together = suspects.length === 0 ? all : all.filter(({ suspect }) => !suspect);
    const groups = [...(together.length > 0 ? [together] : []), ...suspects.map((one) => [one])];
    return groups.map((candidates) => {
      const inOrder = [...candidates].sort((a, b) => a.from - b.from);
      return {
        record: {
          type: 'lease',
          claim,
          ranges: mergedRanges(inOrder.map(({ from, to }) => [from, to])),
          ...(keepsOrder ? { keys: inOrder.map(({ key }) => key) } : {}),
          ...(candidates[0]!.suspect ? { alone: true as const } : {}),
        },
        applied: leased(candidates),
      };
    });
  }
}

function ascending(a: number, b: number): number {
  return a - b;
}

function ignore(): void {
  // Whether it counted shows in the state.
}
