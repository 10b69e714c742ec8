import type { DeliveryOrder } from '../../../queue-driver.js';
import type { RecordCursor } from '../client/record-cursor.js';
import { detached, keyHash, placeOf, readMessage, storedOf } from '../kafka-message.js';
import type { StoredMessage } from '../kafka-message.js';
import { LedgerLog } from '../ledger/ledger-log.js';
import type { Entry, LedgerRecord, SnapshotRecord } from '../ledger/records.js';
import { snapshotBytes } from '../ledger/record-codec.js';
import type { BrokerClock } from './broker-clock.js';
import { Candidates } from './candidates.js';
import type { Candidate } from './candidates.js';
import { ForeignLeases } from './foreign-leases.js';
import type { Held, LeaseEnder } from './held.js';
import { LeasedRun } from './leased-run.js';
import type { MessageRun } from './message-run.js';
import { OwnLeases } from './own-leases.js';
import { PendingWrites } from './pending-writes.js';
import type { Ending, PendingRecord } from './pending-writes.js';

export interface SessionSetting {
  readonly worker: string;
  /** Numbers this worker's records; they never start again, whatever it loses and gets back. */
  readonly takeSeq: () => number;
  readonly ender: LeaseEnder;
  readonly queue: string;
  readonly partition: number;
  readonly order: DeliveryOrder;
  readonly retentionMs: number;
  readonly clock: BrokerClock;
}

export interface SessionEvents {
  /** There is something to write; `now` when nobody should wait for more. */
  toWrite(now: boolean): void;
  leased(runs: readonly LeasedRun[]): void;
  lost(held: Held): void;
  /** Leases that wait to be given are no longer this worker's, or not all of them. */
  readyLost(session: PartitionSession): void;
  suspectEnded(): void;
  /** A snapshot stands; what comes before `trimTo` can go. */
  trimmable(session: PartitionSession): void;
  /** The partition has no start yet. */
  unanchored(session: PartitionSession): void;
  /** Something may be deliverable, or fetched, now. */
  progress(): void;
}

const FETCHED_COUNT = 5_000;
/** Ledger records between two snapshots: bounds what a new owner reads. */
const SNAPSHOT_EVERY = 5_000;
/** A claim counts once the ledger before it is read, which may be long. */
const CLAIM_AGAIN_MS = 30_000;
/** Above this a snapshot could come near the topic's message limit; the ledger then grows until fewer messages wait. */
const SNAPSHOT_BYTES = 768 * 1024;

/** One partition of the queue and its ledger, for a worker that owns it or still holds leases from when it did. */
export class PartitionSession {
  readonly partition: number;
  /** Origins of its messages begin with it. */
  readonly place: string;
  readonly log: LedgerLog;
  readonly candidates: Candidates;
  readonly writes = new PendingWrites();
  readonly own = new OwnLeases();
  readonly foreign = new ForeignLeases();
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
  readonly #suspects = new Set<number>();
  #snapshotAt = 0;
  #snapshotTried = 0;

  constructor(
    private readonly setting: SessionSetting,
    private readonly events: SessionEvents,
  ) {
    this.partition = setting.partition;
    this.place = placeOf(setting.queue, setting.partition);
    this.log = new LedgerLog(setting.worker, (from, to, entry) => this.#changed(from, to, entry));
    this.candidates = new Candidates(() => this.log.state, setting.order, {
      message: (cursor) => readMessage(setting.queue, setting.partition, cursor),
      gap: (from, to) => this.skip(from, to),
      delayed: (offset, message, due) => this.#defer(offset, message, due, ''),
    });
  }

  get queue(): string {
    return this.setting.queue;
  }

  get ender(): LeaseEnder {
    return this.setting.ender;
  }

  get state(): LedgerLog['state'] {
    return this.log.state;
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
    const holdsNothing = this.own.isEmpty && this.leasing === 0;
    return !this.owned && holdsNothing && this.writes.isEmpty && this.writing === undefined;
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
    for (const candidate of this.writes.takeLeases()) {
      this.candidates.decided(candidate);
      this.#refused(candidate.messages);
    }
    this.candidates.clear();
    this.releaseReady();
  }

  /** What waits to be given goes back. */
  releaseReady(): void {
    const ready = this.own.takeReady();
    for (const [from, to] of ready) this.writes.release(from, to);
    if (ready.length > 0) this.events.toWrite(false);
  }

  /** Leases the next messages that may be leased now, at most `most`. */
  leaseNext(now: number, suspectAllowed: boolean, most: number): Candidate | undefined {
    if (!this.claimed) return undefined;
    const candidate = this.candidates.next(now, suspectAllowed, most);
    if (candidate) this.writes.lease(candidate);
    if (candidate?.suspect) this.#suspects.add(candidate.from);
    return candidate;
  }

  /** Says how the lease ends; a second word does not count. Its batch tells when the ledger has it. */
  end(held: Held, ending: Ending): void {
    if (held.ending) return;
    held.ending = ending;
    if (held.lost) return;
    this.writes.end(held);
    if (ending.type === 'nacked')
      this.#copyIfNeeded(held.offset, held.redriveCount, held.copyAt, storedOf(held.message), ending.due);
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
    if (this.state.nextUntouched(from) > to && !this.#hasEntry(from, to)) return;
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
    for (const { copyAt } of this.state.entries()) if (copyAt !== undefined && copyAt < lowest) lowest = copyAt;
    return lowest;
  }

  /** No settlement of this worker counts from here on. */
  abandon(): void {
    this.owned = this.claimed = false;
    for (const held of this.own.given()) this.#lose(held);
    this.own.takeReady();
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
    this.#copyIfNeeded(offset, 0, undefined, message, due);
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
  #copyIfNeeded(offset: number, round: number, copyAt: number | undefined, message: StoredMessage, due: number): void {
    if (copyAt !== undefined || due - message.publishedAt < this.setting.retentionMs / 2) return;
    this.writes.copy(offset, round, message);
  }

  #hasEntry(from: number, to: number): boolean {
    for (const { offset } of this.state.entries()) if (offset >= from && offset <= to) return true;
    return false;
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
    const leased: LeasedRun[] = [];
    for (const candidate of candidates) {
      this.candidates.decided(candidate);
      if (!counted) this.#refused(candidate.messages);
      else if (refused.size === 0) leased.push(this.#leased(candidate.messages));
      else leased.push(...this.#leasedOneByOne(candidate.messages, refused));
    }
    if (this.owned) this.events.leased(leased);
    else this.releaseReady();
    this.events.progress();
  }

  #leased(messages: MessageRun): LeasedRun {
    const run = new LeasedRun(this, messages, this.state.entry(messages.from)!);
    this.own.add(run);
    return run;
  }

  #leasedOneByOne(messages: MessageRun, refused: ReadonlySet<number>): LeasedRun[] {
    return messages.split().flatMap((one) => {
      if (!refused.has(one.from)) return [this.#leased(one)];
      this.#refused(one);
      return [];
    });
  }

  #changed(from: number, to: number, entry: Entry | undefined): void {
    const holder = entry?.lease?.worker;
    const isOurs = holder === this.setting.worker;
    if (!isOurs) this.#notOurs(from, to, entry);
    this.foreign.note(from, to, isOurs ? undefined : holder);
    this.candidates.changed(from, to, entry);
    if (entry && !entry.lease) this.events.progress();
  }

  /** What the ledger says of these neighbours is no lease of this worker, whatever they were before. */
  #notOurs(from: number, to: number, entry: Entry | undefined): void {
    if (this.#suspects.size > 0) for (let offset = from; offset <= to; offset++) this.#suspectEnds(offset);
    const someReady = this.own.end(from, to, (held) => {
      if (!held.ending) this.#lose(held);
      else if (entry) this.candidates.keep(held.offset, storedOf(held.message));
    });
    if (someReady) this.events.readyLost(this);
  }

  #suspectEnds(offset: number): void {
    if (this.#suspects.delete(offset)) this.events.suspectEnded();
  }

  #refused(messages: MessageRun): void {
    for (const one of messages.split()) {
      this.candidates.refused(one.from, one.peek()!);
      this.#suspectEnds(one.from);
    }
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
