import type { DeliveryOrder } from '../../../queue-driver.js';
import type { RecordCursor } from '../client/record-cursor.js';
import { detached, keyHash, readMessage } from '../kafka-message.js';
import type { StoredMessage } from '../kafka-message.js';
import { LedgerLog } from '../ledger/ledger-log.js';
import type { Entry, LedgerRecord, SnapshotRecord } from '../ledger/records.js';
import { snapshotBytes } from '../ledger/record-codec.js';
import type { BrokerClock } from './broker-clock.js';
import { Candidates } from './candidates.js';
import type { Candidate } from './candidates.js';
import { Held } from './held.js';
import { PendingWrites } from './pending-writes.js';
import type { Ending, PendingRecord } from './pending-writes.js';

export interface SessionSetting {
  readonly worker: string;
  /** Numbers this worker's records; they never start again, whatever it loses and gets back. */
  readonly takeSeq: () => number;
  readonly queue: string;
  readonly partition: number;
  readonly order: DeliveryOrder;
  readonly retentionMs: number;
  readonly clock: BrokerClock;
}

export interface SessionEvents {
  /** There is something to write; `now` when nobody should wait for more. */
  toWrite(now: boolean): void;
  leased(held: readonly Held[]): void;
  lost(held: Held): void;
  suspectEnded(): void;
  /** A snapshot stands; what comes before `trimTo` can go. */
  trimmable(session: PartitionSession): void;
  /** The partition has no start yet. */
  unanchored(session: PartitionSession): void;
  /** Something may be deliverable, or fetched, now. */
  progress(): void;
}

const FETCHED_COUNT = 5_000;
const RELEASED: Ending = { type: 'released' };
/** Ledger records between two snapshots: bounds what a new owner reads. */
const SNAPSHOT_EVERY = 5_000;
/** A claim counts once the ledger before it is read, which may be long. */
const CLAIM_AGAIN_MS = 30_000;
/** Above this a snapshot could come near the topic's message limit; the ledger then grows until fewer messages wait. */
const SNAPSHOT_BYTES = 768 * 1024;

/** One partition of the queue and its ledger, for a worker that owns it or still holds leases from when it did. */
export class PartitionSession {
  readonly partition: number;
  readonly log: LedgerLog;
  readonly candidates: Candidates;
  readonly writes = new PendingWrites();
  readonly held = new Map<number, Held>();
  /** The group says that the partition is this worker's. */
  owned = false;
  /** The claim that stands in the ledger is this worker's newest; leases may be written. */
  claimed = false;
  /** Next offset of the queue to fetch. */
  position = 0;
  /** A write or read of it is on the way. */
  writing: readonly (PendingRecord & { readonly signed: LedgerRecord })[] | undefined;
  recalling = false;
  /** Why the ledger cannot be read, where it cannot. */
  broken: string | undefined;
  #claimingSince: number | undefined;
  /** Offsets leased to others, with the holder. */
  readonly #foreign = new Map<number, string>();
  readonly #suspects = new Set<number>();
  #snapshotAt = 0;
  #snapshotTried = 0;
  readonly #idPrefix: string;
  #nextId = 0;

  constructor(
    private readonly setting: SessionSetting,
    private readonly events: SessionEvents,
  ) {
    this.partition = setting.partition;
    this.log = new LedgerLog(setting.worker, (offset, entry) => this.#changed(offset, entry));
    this.#idPrefix = `${setting.worker.slice(0, 8)}/${setting.partition}/`;
    this.candidates = new Candidates(() => this.log.state, setting.order, {
      message: (cursor) => readMessage(setting.queue, setting.partition, cursor),
      gap: (from, to) => this.skip(from, to),
      delayed: (offset, message, due) => this.#defer(offset, message, due, ''),
    });
  }

  /** Names a lease, among all of a member's. */
  leaseId(number: number): string {
    return this.#idPrefix + number;
  }

  get state(): LedgerLog['state'] {
    return this.log.state;
  }

  /** Workers other than this one that hold leases in this partition. */
  foreignHolders(): ReadonlySet<string> {
    return new Set(this.#foreign.values());
  }

  get hasForeignLeases(): boolean {
    return this.#foreign.size > 0;
  }

  /** How many bytes to fetch so that `most` are kept in memory; 0 while there is still half of that. */
  roomToFetch(most: number): number {
    if (!this.claimed || this.candidates.fetchedCount >= FETCHED_COUNT) return 0;
    const { fetchedBytes } = this.candidates;
    return fetchedBytes < most / 2 ? most - fetchedBytes : 0;
  }

  get hasBacklog(): boolean {
    return this.candidates.fetchedCount > 0;
  }

  /** Nothing binds this worker to the partition any more. */
  get isIdle(): boolean {
    return !this.owned && this.held.size === 0 && this.writes.isEmpty && this.writing === undefined;
  }

  /** Makes this worker the owner in the ledger. */
  claim(): void {
    this.claimed = false;
    this.#claimingSince = performance.now();
    this.writes.add({ record: { type: 'claim' }, applied: () => this.#claimApplied() });
    this.events.toWrite(true);
  }

  /** Gives the group its start in this partition, which has none yet. */
  initialise(low: number): void {
    this.writes.add({ record: { type: 'init', low }, applied: ignore });
    this.claim();
  }

  /** Another worker's claim came after ours: it, or we, have not heard yet that the partition moved on. */
  get isOverruled(): boolean {
    return this.claimed && this.state.owner !== this.setting.worker;
  }

  /** Its claim was overruled, or did not come through in a long time. */
  get needsClaim(): boolean {
    if (!this.owned || this.claimed || this.hasToWrite) return false;
    return this.#claimingSince === undefined || performance.now() - this.#claimingSince > CLAIM_AGAIN_MS;
  }

  /** Leases written or being written. */
  get leasing(): number {
    return this.candidates.leasing;
  }

  get hasSuspect(): boolean {
    return this.#suspects.size > 0;
  }

  /** Another claimed it after us, or the group took it away. What is leased and not given goes back. */
  lose(): void {
    this.claimed = false;
    for (const { offset } of this.writes.takeLeases()) this.#refused(offset);
    this.candidates.clear();
    for (const held of this.held.values()) if (!held.given) this.end(held, RELEASED);
  }

  /** Leases the next candidate that may be leased now. */
  leaseNext(now: number, suspectAllowed: boolean): Candidate | undefined {
    if (!this.claimed) return undefined;
    const candidate = this.candidates.next(now, suspectAllowed);
    if (candidate) this.writes.lease(candidate);
    if (candidate?.suspect) this.#suspects.add(candidate.offset);
    return candidate;
  }

  /** Says how the lease ends; a second word does not count. `held.ended()` tells when the ledger has it. */
  end(held: Held, ending: Ending): void {
    if (held.ending) return;
    held.ending = ending;
    if (held.lost) return held.ends(true);
    this.writes.end(held);
    if (ending.type === 'nacked') this.#copyIfNeeded(held.entry, held.message, ending.due);
    this.events.toWrite(false);
  }

  /** Records of the queue, fetched from `position` on. */
  fetched(from: number, records: RecordCursor): void {
    if (!this.claimed || from !== this.position || records.end <= from) return;
    // Order by key has to know every message that waits behind a key's head; else records wait undecoded.
    if (this.candidates.keepsOrder) this.#fetchedInOrder(from, records);
    else this.candidates.fetchedStretch(from, records);
    this.position = this.state.nextUntouched(records.end);
    this.events.progress();
  }

  /** There is nothing to deliver at these offsets. */
  skip(from: number, to: number): void {
    if (this.state.nextUntouched(from) > to && ![...this.state.entries.keys()].some((at) => at >= from && at <= to))
      return;
    const record = { type: 'note' as const, claim: this.state.claim, skipped: [[from, to] as const] };
    this.writes.add({ record, applied: ignore });
    this.events.toWrite(false);
  }

  /** Messages wanted have been read again. */
  recalled(): void {
    this.events.progress();
  }

  /** Its message is no longer in the queue, and there is no copy. */
  expire(offset: number): void {
    this.candidates.notFound(offset);
    const record = { type: 'note' as const, claim: this.state.claim, skipped: [[offset, offset] as const] };
    this.writes.add({ record, applied: ignore });
    this.events.toWrite(true);
  }

  /** These workers are dead: what they held is free, counted, and suspect. */
  voidLeases(workers: readonly string[]): void {
    this.writes.add({
      record: { type: 'void', claim: this.state.claim, workers },
      applied: () => this.events.progress(),
    });
    this.events.toWrite(true);
  }

  /** Signs and hands out what is to be written next; keeps it until `written`. */
  nextWrite(): readonly LedgerRecord[] {
    if (!this.writing) {
      const pending = this.writes.drain(
        this.state.claim,
        this.candidates.keepsOrder,
        (candidates) => (refused, counted) => this.#leaseApplied(candidates, refused, counted),
      );
      const snapshot = pending.length === 0 ? this.#snapshotDue() : undefined;
      if (snapshot)
        pending.push({ record: snapshot, applied: (_, counted) => this.#snapshotApplied(snapshot.lands, counted) });
      this.writing = pending.map((each) => {
        const seq = this.setting.takeSeq();
        this.log.expect(seq, ({ refused, counted }) => each.applied(refused, counted));
        const signed = {
          ...each.record,
          worker: this.setting.worker,
          seq,
          at: this.setting.clock.now(),
        } as LedgerRecord;
        return { ...each, signed };
      });
    }
    return this.writing.map(({ signed }) => signed);
  }

  get hasToWrite(): boolean {
    return this.writing !== undefined || !this.writes.isEmpty || this.snapshotIsDue;
  }

  /** The write stands in the ledger from this offset on. */
  written(baseOffset: number): void {
    const written = this.writing ?? [];
    this.writing = undefined;
    written.forEach(({ signed }, index) => this.log.written(baseOffset + index, signed));
  }

  /** The write is too large: copies can be left out, they only guard against the queue's retention. */
  dropCopies(): boolean {
    const kept = this.writing?.filter(({ signed }) => signed.type !== 'copy');
    if (!kept || kept.length === this.writing?.length) return false;
    this.writing = kept.length > 0 ? kept : undefined;
    return true;
  }

  get snapshotIsDue(): boolean {
    return this.claimed && this.log.next - this.#snapshotTried > SNAPSHOT_EVERY && !this.log.hasGap;
  }

  /** Everything before it may be trimmed. */
  get trimTo(): number {
    let lowest = this.#snapshotAt;
    for (const { copyAt } of this.state.entries.values()) if (copyAt !== undefined && copyAt < lowest) lowest = copyAt;
    return lowest;
  }

  /** No settlement of this worker counts from here on. */
  abandon(): void {
    this.owned = this.claimed = false;
    for (const held of this.held.values()) this.#lose(held);
    this.writes.abandon();
    this.writing = undefined;
  }

  #fetchedInOrder(from: number, records: RecordCursor): void {
    let next = from;
    const now = this.setting.clock.now();
    while (records.next()) {
      const { offset } = records;
      if (offset > next) this.skip(next, offset - 1);
      next = offset + 1;
      if (!this.state.isUntouched(offset) || this.candidates.messageOf(offset)) continue;
      if (records.isControl) this.skip(offset, offset);
      else this.#fetchedOne(offset, detached(readMessage(this.setting.queue, this.partition, records)), now);
    }
    if (records.end > next) this.skip(next, records.end - 1);
  }

  #defer(offset: number, message: StoredMessage, due: number, key: string): void {
    this.writes.defer(offset, due, key);
    this.candidates.keep(offset, message);
    this.#copyIfNeeded({ offset, round: 0 }, message, due);
    this.events.toWrite(false);
  }

  #fetchedOne(offset: number, message: StoredMessage, now: number): void {
    const due = message.publishedAt + message.delayMs;
    if (message.delayMs > 0 && due > now) return this.#defer(offset, message, due, keyHash(message.key));
    for (const aside of this.candidates.fetched(offset, message)) {
      const waiting = this.candidates.messageOf(aside);
      if (waiting) this.writes.defer(aside, 0, keyHash(waiting.key));
      this.events.toWrite(false);
    }
  }

  /** The queue keeps it for its retention: past half of that the ledger has to keep it. */
  #copyIfNeeded(entry: Pick<Entry, 'offset' | 'round' | 'copyAt'>, message: StoredMessage, due: number): void {
    if (entry.copyAt !== undefined || due - message.publishedAt < this.setting.retentionMs / 2) return;
    this.writes.copy(entry.offset, entry.round, message);
  }

  #claimApplied(): void {
    this.#claimingSince = undefined;
    if (!this.state.anchored) return this.events.unanchored(this);
    if (!this.owned || this.state.owner !== this.setting.worker) return;
    this.claimed = true;
    this.position = this.state.nextUntouched(this.state.low);
    this.events.progress();
  }

  #leaseApplied(candidates: readonly Candidate[], refused: ReadonlySet<number>, counted: boolean): void {
    const leased: Held[] = [];
    for (const { offset, message } of candidates) {
      const entry = this.state.entry(offset);
      if (!counted || refused.has(offset) || entry?.lease?.worker !== this.setting.worker) {
        this.#refused(offset);
        continue;
      }
      const held = new Held(++this.#nextId, this, message, entry);
      this.held.set(offset, held);
      if (this.owned) leased.push(held);
      else this.end(held, RELEASED);
    }
    this.events.leased(leased);
    this.events.progress();
  }

  #changed(offset: number, entry: Entry | undefined): void {
    const held = this.held.get(offset);
    const holder = entry?.lease?.worker;
    const isOurs = holder === this.setting.worker;
    if (holder !== undefined && !isOurs) this.#foreign.set(offset, holder);
    else if (this.#foreign.size > 0) this.#foreign.delete(offset);
    if (held && !isOurs) {
      this.held.delete(offset);
      if (this.#suspects.delete(offset)) this.events.suspectEnded();
      if (!held.ending) this.#lose(held);
      else if (entry) this.candidates.keep(offset, held.message);
    }
    this.candidates.changed(offset, entry);
    if (entry && !entry.lease) this.events.progress();
  }

  #refused(offset: number): void {
    this.candidates.refused(offset);
    if (this.#suspects.delete(offset)) this.events.suspectEnded();
  }

  #snapshotApplied(lands: number, counted: boolean): void {
    if (!counted) return;
    this.#snapshotAt = lands;
    this.events.trimmable(this);
  }

  #lose(held: Held): void {
    if (held.lost) return;
    held.lost = true;
    this.events.lost(held);
    if (held.ending) held.ends(true);
  }

  #snapshotDue(): Omit<SnapshotRecord, 'worker' | 'seq' | 'at'> | undefined {
    if (!this.snapshotIsDue) return undefined;
    const state = this.state.toSnapshot(this.setting.clock.now());
    const lands = this.log.next;
    // Tried again after as many records where it lands elsewhere, or is too large.
    this.#snapshotTried = lands;
    return snapshotBytes(state) > SNAPSHOT_BYTES ? undefined : { type: 'snapshot', lands, state };
  }
}

function ignore(): void {
  // What it meant shows elsewhere.
}
