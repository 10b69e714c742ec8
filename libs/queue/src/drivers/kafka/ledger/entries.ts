import type { Entry, EntryLease } from './records.js';

/** What is known of the offsets of a partition that are neither untouched nor settled. */
export class Entries {
  readonly #first = new FirstLeases();
  readonly #others = new Map<number, Entry>();

  get(offset: number): Entry | undefined {
    return this.#others.get(offset) ?? this.#first.get(offset);
  }

  /** All, in no order; many are made for the caller. */
  *[Symbol.iterator](): Generator<Entry> {
    yield* this.#others.values();
    yield* this.#first.entries();
  }

  set(entry: Entry): void {
    this.#first.delete(entry.offset, entry.offset);
    this.#others.set(entry.offset, entry);
  }

  /** None of them has an entry yet. Returns that of the first; the others are alike. */
  addFirstLeases(from: number, to: number, firstSeen: number, lease: EntryLease): Entry {
    const stretch = { from, to, firstSeen, lease };
    this.#first.add(stretch);
    return entryOf(stretch, from);
  }

  delete(from: number, to: number): void {
    this.#first.delete(from, to);
    if (this.#others.size === 0) return;
    for (let offset = from; offset <= to; offset++) this.#others.delete(offset);
  }

  /** The last of the neighbours from `from` on without an entry, `to` at most; the offset before `from` for none. */
  absentUntil(from: number, to: number): number {
    const end = Math.min(to, this.#first.nextAt(from) - 1);
    if (this.#others.size === 0) return end;
    for (let at = from; at <= end; at++) if (this.#others.has(at)) return at - 1;
    return end;
  }

  /** The lowest offset at or after `offset` without an entry. */
  nextAbsent(offset: number): number {
    for (let at = offset; ;) {
      const stretch = this.#first.at(at);
      if (!stretch && !this.#others.has(at)) return at;
      at = (stretch?.to ?? at) + 1;
    }
  }

  /** The last of the neighbours from `from` on that the worker holds, `to` at most; the offset before `from` for none. */
  heldUntil(from: number, to: number, worker: string): number {
    let end = from - 1;
    while (end < to) {
      const stretch = this.#first.at(end + 1);
      const lease = stretch ? stretch.lease : this.#others.get(end + 1)?.lease;
      if (lease?.worker !== worker) break;
      end = stretch ? Math.min(stretch.to, to) : end + 1;
    }
    return end;
  }
}

/** Neighbours leased by one record, each for the first time: alike in all but the offset. */
interface LeasedStretch {
  readonly from: number;
  readonly to: number;
  readonly firstSeen: number;
  readonly lease: EntryLease;
}

/**
 * The leases of messages that had no entry before, which are most: a pair of numbers for each stretch of them, where
 * an entry for each offset would have to live from its lease to its settlement.
 */
class FirstLeases {
  /** Ascending and disjoint. */
  readonly #stretches: LeasedStretch[] = [];

  at(offset: number): LeasedStretch | undefined {
    const stretch = this.#stretches[this.#firstEndingAtOrAfter(offset)];
    return stretch && stretch.from <= offset ? stretch : undefined;
  }

  get(offset: number): Entry | undefined {
    const stretch = this.at(offset);
    return stretch && entryOf(stretch, offset);
  }

  /** Every offset with its entry. */
  *entries(): Generator<Entry> {
    for (const stretch of this.#stretches) {
      for (let offset = stretch.from; offset <= stretch.to; offset++) yield entryOf(stretch, offset);
    }
  }

  /** The lowest offset at or after `offset` that is leased; infinite for none. */
  nextAt(offset: number): number {
    const stretch = this.#stretches[this.#firstEndingAtOrAfter(offset)];
    return stretch ? Math.max(stretch.from, offset) : Number.POSITIVE_INFINITY;
  }

  /** None of them is in here yet. */
  add(stretch: LeasedStretch): void {
    this.#stretches.splice(this.#firstEndingAtOrAfter(stretch.from), 0, stretch);
  }

  /** Whatever of these is in here. */
  delete(from: number, to: number): void {
    const first = this.#firstEndingAtOrAfter(from);
    const rest: LeasedStretch[] = [];
    let last = first;
    for (let each = this.#stretches[last]; each && each.from <= to; each = this.#stretches[++last]) {
      if (each.from < from) rest.push({ ...each, to: from - 1 });
      if (each.to > to) rest.push({ ...each, from: to + 1 });
    }
    if (last > first) this.#stretches.splice(first, last - first, ...rest);
  }

  #firstEndingAtOrAfter(offset: number): number {
    let low = 0;
    let high = this.#stretches.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#stretches[middle]!.to < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function entryOf({ firstSeen, lease }: LeasedStretch, offset: number): Entry {
  return { offset, round: 0, count: 1, prior: 'none', due: 0, firstSeen, lease };
}
