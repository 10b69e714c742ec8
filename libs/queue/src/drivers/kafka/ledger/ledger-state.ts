import { Entries } from './entries.js';
import { OffsetSet, eachOffset } from './ranges.js';
import type {
  CopyRecord,
  Entry,
  LeaseRecord,
  LedgerRecord,
  NoteRecord,
  RedriveRecord,
  SettleRecord,
  Signed,
  SnapshotState,
} from './records.js';

/** What one record did. */
export interface Applied {
  /** False for a repeated or late record, a lease or note under an old claim, and whatever stands before the first anchor. */
  readonly counted: boolean;
  /** Of a lease or settle record: the offsets for which it had no effect. */
  readonly refused: ReadonlySet<number>;
}

/** Offsets `from` to `to` have this entry now, but for its offset; undefined for none. */
export type EntriesChanged = (from: number, to: number, entry: Entry | undefined) => void;

const IGNORED: Applied = { counted: false, refused: new Set() };
const NONE_REFUSED: ReadonlySet<number> = new Set();
/** Redriven rounds remembered after they are settled, against a redrive that is repeated after a crash. */
const ROUNDS_KEPT = 10_000;
/** A worker that wrote nothing for this long and holds nothing is forgotten; no broker delivers a record this late. */
const WRITER_KEPT_MS = 60 * 60 * 1000;

/**
 * One ledger partition, read up to some offset. Pure: the same records give the same state in every process, whatever
 * was repeated, came late or was cut off by a crash.
 *
 * Every offset of Q's partition is in one of four conditions: **untouched** (no entry, not done), **leased** (an entry
 * with a lease), **idle** (an entry without one: waiting, put aside, or left by a dead worker), or **done**.
 */
export class LedgerState {
  #done: OffsetSet | undefined;
  readonly #entries = new Entries();
  readonly #rounds = new Map<number, number>();
  readonly #writers = new Map<string, { seq: number; at: number }>();
  #owner: string | undefined;
  #claim = -1;

  /** @param onChange called after the entries of neighbours changed, were made or ended */
  constructor(private readonly onChange: EntriesChanged = () => undefined) {}

  /** Whether the start of the group, or a snapshot, has been read: before it nothing is known. */
  get anchored(): boolean {
    return this.#done !== undefined;
  }

  /** The lowest offset that is not done. */
  get low(): number {
    return this.#settled.floor;
  }

  get owner(): string | undefined {
    return this.#owner;
  }

  /** Ledger offset of the newest claim; -1 for none. */
  get claim(): number {
    return this.#claim;
  }

  /** In no order, and made for the caller: nothing to ask for often. */
  entries(): Iterable<Entry> {
    return this.#entries;
  }

  entry(offset: number): Entry | undefined {
    return this.#entries.get(offset);
  }

  isUntouched(offset: number): boolean {
    return this.untouchedUntil(offset, offset) === offset;
  }

  /** The last of the untouched neighbours from `from` on, `to` at most; the offset before `from` for none. */
  untouchedUntil(from: number, to: number): number {
    return this.#entries.absentUntil(from, Math.min(to, this.#settled.nextPresent(from) - 1));
  }

  /** The lowest untouched offset at or after `offset`. */
  nextUntouched(offset: number): number {
    for (let at = offset; ;) {
      at = this.#entries.nextAbsent(this.#settled.nextAbsent(at));
      if (!this.#settled.has(at)) return at;
    }
  }

  /** How many offsets below `end` are not done and have no entry. */
  countUntouched(end: number): number {
    if (end <= this.low) return 0;
    let touched = this.#settled.countBelow(end);
    for (const entry of this.#entries) {
      if (entry.offset >= this.low && entry.offset < end && !this.#settled.has(entry.offset)) touched++;
    }
    return end - this.low - touched;
  }

  apply(ledgerOffset: number, record: LedgerRecord): Applied {
    if (record.type === 'init') return this.#init(record.low);
    if (record.type === 'snapshot') return this.#snapshot(ledgerOffset, record.lands, record.state);
    if (!this.anchored) return IGNORED;
    if (record.type === 'redrive') return this.#redrive(ledgerOffset, record);
    if (!this.#isNext(record)) return IGNORED;
    switch (record.type) {
      case 'claim':
        this.#owner = record.worker;
        this.#claim = ledgerOffset;
        return { counted: true, refused: NONE_REFUSED };
      case 'lease':
        return this.#lease(ledgerOffset, record);
      case 'settle':
        return this.#settle(record);
      case 'note':
        return this.#isOwners(record) ? this.#note(record) : IGNORED;
      case 'void':
        return this.#isOwners(record) ? this.#void(record.workers) : IGNORED;
      case 'copy':
        return this.#copy(ledgerOffset, record);
    }
  }

  /** For a snapshot; `now` decides which silent writers are forgotten. */
  toSnapshot(now: number): SnapshotState {
    const entries = [...this.#entries];
    const holders = new Set(entries.map((entry) => entry.lease?.worker));
    return {
      low: this.low,
      done: this.#settled.ranges,
      entries,
      rounds: [...this.#rounds].slice(-ROUNDS_KEPT),
      owner: this.#owner,
      claim: this.#claim,
      writers: [...this.#writers]
        .filter(([worker, { at }]) => worker === this.#owner || holders.has(worker) || at > now - WRITER_KEPT_MS)
        .map(([worker, { seq, at }]) => [worker, seq, at] as const),
    };
  }

  get #settled(): OffsetSet {
    if (!this.#done) throw new Error('the ledger has no start yet.');
    return this.#done;
  }

  /** A worker's records count in the order of their numbers: one sent twice, or overtaken by its own retry, counts once. */
  #isNext({ worker, seq, at }: Signed): boolean {
    const known = this.#writers.get(worker);
    if (known && seq <= known.seq) return false;
    this.#writers.set(worker, { seq, at });
    return true;
  }

  #isOwners({ worker, claim }: { worker: string; claim: number }): boolean {
    return worker === this.#owner && claim === this.#claim;
  }

  #set(entry: Entry): void {
    this.#entries.set(entry);
    this.onChange(entry.offset, entry.offset, entry);
  }

  /** Neighbours that are done together. */
  #end(from: number, to: number): void {
    this.#entries.delete(from, to);
    this.#settled.add(from, to);
    this.onChange(from, to, undefined);
  }

  #init(low: number): Applied {
    if (this.anchored) return IGNORED;
    this.#done = new OffsetSet(low);
    return { counted: true, refused: NONE_REFUSED };
  }

  #lease(ledgerOffset: number, record: LeaseRecord): Applied {
    let refused: Set<number> | undefined;
    const counted = this.#isOwners(record);
    const lease = { worker: record.worker, ledgerOffset, alone: record.alone ?? false };
    let index = 0;
    for (const [from, to] of record.ranges) {
      for (let offset = from; offset <= to; offset++) {
        const end = counted && !record.keys ? this.untouchedUntil(offset, to) : -1;
        if (end >= offset) {
          this.onChange(offset, end, this.#entries.addFirstLeases(offset, end, record.at, lease));
          offset = end;
          continue;
        }
        const key = record.keys?.[index++];
        const known = this.#entries.get(offset);
        if (!counted || known?.lease || (!known && this.#settled.has(offset))) {
          (refused ??= new Set()).add(offset);
          continue;
        }
        this.#set({
          offset,
          round: known ? known.round : 0,
          count: (known ? known.count : 0) + 1,
          prior: known ? known.prior : 'none',
          due: known ? known.due : 0,
          firstSeen: (known ? known.firstSeen : 0) || record.at,
          lastError: known?.lastError,
          key: key || known?.key,
          copyAt: known?.copyAt,
          lease,
        });
      }
    }
    return { counted, refused: refused ?? NONE_REFUSED };
  }

  #settle({ worker, done = [], released = [], nacked = [] }: SettleRecord): Applied {
    let refused: Set<number> | undefined;
    const held = (offset: number): Entry | undefined => {
      const entry = this.#entries.get(offset);
      if (entry?.lease?.worker === worker) return entry;
      (refused ??= new Set()).add(offset);
      return undefined;
    };
    for (const [from, to] of done) {
      for (let start = from; start <= to; start++) {
        const end = this.#entries.heldUntil(start, to, worker);
        if (end >= start) this.#end(start, end);
        else (refused ??= new Set()).add(start);
        start = Math.max(start, end);
      }
    }
    for (const offset of eachOffset(released)) {
      const entry = held(offset);
      if (!entry) continue;
      const count = entry.count - 1;
      this.#set({ ...entry, lease: undefined, count, due: 0, firstSeen: count === 0 ? 0 : entry.firstSeen });
    }
    for (const [offset, due, lastError] of nacked) {
      const entry = held(offset);
      if (entry) this.#set({ ...entry, lease: undefined, prior: 'nacked', due, lastError });
    }
    return { counted: true, refused: refused ?? NONE_REFUSED };
  }

  #note({ skipped = [], deferred = [] }: NoteRecord): Applied {
    for (const [from, to] of skipped) {
      for (const entry of [...this.#entries]) {
        const isLost = !entry.lease && entry.copyAt === undefined;
        if (isLost && entry.offset >= from && entry.offset <= to) this.#end(entry.offset, entry.offset);
      }
      this.#skipUntouched(from, to);
    }
    for (const [offset, due, key] of deferred) {
      if (!this.isUntouched(offset)) continue;
      this.#set({ offset, round: 0, count: 0, prior: 'none', due, firstSeen: 0, ...(key ? { key } : {}) });
    }
    return { counted: true, refused: NONE_REFUSED };
  }

  /** What has an entry inside the stretch stays as it is. */
  #skipUntouched(from: number, to: number): void {
    const offsets = Array.from(this.#entries, ({ offset }) => offset);
    const kept = offsets.filter((offset) => offset >= from && offset <= to).sort((a, b) => a - b);
    let start = from;
    for (const offset of [...kept, to + 1]) {
      if (offset > start) this.#settled.add(start, offset - 1);
      start = offset + 1;
    }
  }

  #void(workers: readonly string[]): Applied {
    for (const entry of [...this.#entries]) {
      const { lease } = entry;
      if (!lease || !workers.includes(lease.worker)) continue;
      this.#set({ ...entry, lease: undefined, prior: lease.alone ? 'crashed-alone' : 'crashed', due: 0 });
    }
    return { counted: true, refused: NONE_REFUSED };
  }

  /** From here on Q may forget the message: its offset there counts as done, while its entry lives on. */
  #copy(ledgerOffset: number, { offset, round }: CopyRecord): Applied {
    const entry = this.#entries.get(offset);
    if (entry?.round !== round) return IGNORED;
    this.#settled.add(offset);
    this.#set({ ...entry, copyAt: ledgerOffset });
    return { counted: true, refused: NONE_REFUSED };
  }

  #redrive(ledgerOffset: number, { offset, round, key }: RedriveRecord): Applied {
    if (this.#entries.get(offset) || round <= (this.#rounds.get(offset) ?? 0)) return IGNORED;
    this.#rounds.delete(offset);
    this.#rounds.set(offset, round);
    this.#settled.add(offset);
    const fresh = { offset, round, count: 0, prior: 'none' as const, due: 0, firstSeen: 0, copyAt: ledgerOffset };
    this.#set({ ...fresh, ...(key ? { key } : {}) });
    return { counted: true, refused: NONE_REFUSED };
  }

  #snapshot(ledgerOffset: number, lands: number, state: SnapshotState): Applied {
    if (ledgerOffset !== lands) return IGNORED;
    // To a reader that has the records before it a snapshot says nothing new, except what is forgotten with it.
    this.#writers.clear();
    for (const [worker, seq, at] of state.writers) this.#writers.set(worker, { seq, at });
    this.#rounds.clear();
    for (const [offset, round] of state.rounds) this.#rounds.set(offset, round);
    if (this.anchored) return { counted: true, refused: NONE_REFUSED };
    this.#done = new OffsetSet(state.low, state.done);
    this.#owner = state.owner;
    this.#claim = state.claim;
    for (const entry of state.entries) this.#set(entry);
    return { counted: true, refused: NONE_REFUSED };
  }
}
