import type { DeliveryOrder } from '../../../queue-driver.js';
import type { RecordCursor } from '../client/record-cursor.js';
import { MESSAGE_OVERHEAD_BYTES, detached, keyHash, weightOf } from '../kafka-message.js';
import type { StoredMessage } from '../kafka-message.js';
import type { LedgerState } from '../ledger/ledger-state.js';
import type { Entry } from '../ledger/records.js';
import { DueHeap } from './due-heap.js';
import { KeyLanes } from './key-lanes.js';
import { FetchedStretch, MessageRun, isDueMessage } from './message-run.js';
import type { ReadMessage } from './message-run.js';

/** Messages at neighbouring offsets that may be leased now; more than one only where they are untouched. */
export interface Candidate {
  readonly from: number;
  readonly to: number;
  readonly messages: MessageRun;
  readonly key: string;
  /** It stays alone in its lease, and the worker has one such at a time. */
  readonly suspect: boolean;
}

/** Told what of a fetched stretch is found to be no message to lease. */
export interface StretchReader {
  readonly message: ReadMessage;
  /** No message stands at these offsets. */
  gap(from: number, to: number): void;
  /** It is not due yet. */
  delayed(offset: number, message: StoredMessage, due: number): void;
}

/** Payloads of waiting messages kept in memory, a partition; beyond it they are read again when due. */
const KEPT_BYTES = 4 * 1024 * 1024;
/** Fetched messages of one key that may wait in memory behind its head. */
const LANE_LENGTH = 200;

/** What of one partition could be leased, in the order in which it should be. */
export class Candidates {
  /** Fetched, and not looked at yet: records are decoded when they are to be leased. */
  readonly #stretches: FetchedStretch[] = [];
  readonly #fetched: { readonly offset: number; readonly message: StoredMessage }[] = [];
  #head = 0;
  #fetchedBytes = 0;
  readonly #due = new DueHeap();
  readonly #suspects: number[] = [];
  /** On their way to a lease, by their first offset. */
  readonly #leasing = new Map<number, Candidate>();
  #leasingCount = 0;
  readonly #kept = new Map<number, StoredMessage>();
  #keptBytes = 0;
  readonly #wanted = new Set<number>();
  readonly #lanes: KeyLanes | undefined;
  readonly #laneMessages = new Map<number, StoredMessage>();

  constructor(
    private readonly state: () => LedgerState,
    order: DeliveryOrder,
    private readonly reader: StretchReader,
  ) {
    this.#lanes = order.by === 'key' ? new KeyLanes(order.whenHeadWaits) : undefined;
  }

  get keepsOrder(): boolean {
    return this.#lanes !== undefined;
  }

  /** How many are on their way to a lease. */
  get leasing(): number {
    return this.#leasingCount;
  }

  /** Memory of what is fetched and not yet leased. */
  get fetchedBytes(): number {
    let bytes = this.#fetchedBytes;
    for (const { cursor } of this.#stretches) bytes += cursor.bytesLeft + cursor.recordsLeft * MESSAGE_OVERHEAD_BYTES;
    return bytes;
  }

  get fetchedCount(): number {
    let count = this.#fetched.length - this.#head + this.#laneMessages.size;
    for (const { cursor } of this.#stretches) count += cursor.recordsLeft;
    return count;
  }

  /** Offsets whose messages are due but no longer in memory. */
  get wanted(): ReadonlySet<number> {
    return this.#wanted;
  }

  /** Records from `from` on, read in order; for groups that keep no order. */
  fetchedStretch(from: number, cursor: RecordCursor): void {
    this.#stretches.push(new FetchedStretch(from, cursor));
  }

  /** An untouched message, read in order. Returns offsets to be put aside in the ledger: too many wait for their key. */
  fetched(offset: number, message: StoredMessage): readonly number[] {
    this.#fetchedBytes += weightOf(message);
    const key = this.#lanes ? keyHash(message.key) : '';
    if (!this.#lanes || key === '') {
      this.#fetched.push({ offset, message });
      return [];
    }
    this.#laneMessages.set(offset, message);
    this.#lanes.set(key, offset, undefined);
    return this.#lanes.lengthOf(key) > LANE_LENGTH ? this.#lanes.behindHead(key) : [];
  }

  messageOf(offset: number): StoredMessage | undefined {
    return this.#leasing.get(offset)?.messages.peek() ?? this.#laneMessages.get(offset) ?? this.#kept.get(offset);
  }

  /** The ledger says something new about these neighbours. */
  changed(from: number, to: number, entry: Entry | undefined): void {
    if (!this.#lanes && this.#kept.size === 0 && (!entry || entry.lease)) return;
    for (let offset = from; offset <= to; offset++) this.#changedOne(offset, entry);
  }

  /** Keeps the message of an idle or leased offset in memory, as far as there is room. */
  keep(offset: number, message: StoredMessage): void {
    if (this.#kept.has(offset)) return;
    this.#kept.set(offset, detached(message));
    this.#keptBytes += weightOf(message);
    for (const oldest of this.#kept.keys()) {
      if (this.#keptBytes <= KEPT_BYTES || oldest === offset) break;
      this.#drop(oldest);
    }
  }

  /** A wanted message has been read again. */
  loaded(offset: number, message: StoredMessage): void {
    this.#wanted.delete(offset);
    const entry = this.state().entry(offset);
    if (!entry || entry.lease) return;
    this.keep(offset, message);
    if (this.#lanes?.has(offset)) this.#lanes.touch(offset);
    else if (isSuspect(entry)) this.#suspects.unshift(offset);
    else this.#due.push(entry.due, offset);
  }

  notFound(offset: number): void {
    this.#wanted.delete(offset);
  }

  /** The ledger has the lease, or refuses it. */
  decided({ from, to }: Candidate): void {
    if (this.#leasing.delete(from)) this.#leasingCount -= to - from + 1;
  }

  /** Its lease was refused: whatever the ledger says of it holds. */
  refused(offset: number, message: StoredMessage): void {
    const entry = this.state().entry(offset);
    if (entry && !entry.lease) {
      this.keep(offset, message);
      this.changed(offset, offset, entry);
    } else if (!entry && this.state().isUntouched(offset)) {
      if (this.#laneMessages.has(offset)) this.#lanes?.touch(offset);
      else this.fetched(offset, message);
    } else if (!entry) {
      this.#lanes?.remove(offset);
    }
  }

  suspectIsFree(): void {
    this.#lanes?.touchAll();
  }

  nextDue(): number | undefined {
    const dues = [this.#due.peek()?.due, this.#lanes?.nextDue()].filter((due) => due !== undefined);
    return dues.length > 0 ? Math.min(...dues) : undefined;
  }

  /** At most `most` messages. */
  next(now: number, suspectAllowed: boolean, most: number): Candidate | undefined {
    return (
      (suspectAllowed ? this.#nextSuspect() : undefined) ??
      this.#nextDueOne(now) ??
      this.#nextOfLane(now, suspectAllowed) ??
      this.#nextFetched() ??
      this.#nextOfStretch(now, most)
    );
  }

  /** Everything unleased is forgotten: the partition is another's. */
  clear(): void {
    this.#stretches.length = 0;
    this.#fetched.length = 0;
    this.#head = 0;
    this.#fetchedBytes = 0;
    this.#wanted.clear();
    for (const offset of this.#laneMessages.keys()) this.#lanes?.remove(offset);
    this.#laneMessages.clear();
  }

  #nextSuspect(): Candidate | undefined {
    for (let offset = this.#suspects[0]; offset !== undefined; offset = this.#suspects[0]) {
      const entry = this.#idle(offset);
      if (!entry || !isSuspect(entry)) {
        this.#suspects.shift();
        continue;
      }
      const message = this.#kept.get(offset);
      if (!message) {
        this.#wanted.add(offset);
        return undefined;
      }
      this.#suspects.shift();
      return this.#leaseOne(offset, message, entry);
    }
    return undefined;
  }

  #nextDueOne(now: number): Candidate | undefined {
    while ((this.#due.peek()?.due ?? Number.POSITIVE_INFINITY) <= now) {
      const { due, offset } = this.#due.pop()!;
      const entry = this.#idle(offset);
      if (!entry || entry.due !== due || isSuspect(entry)) continue;
      const message = this.#kept.get(offset);
      if (message) return this.#leaseOne(offset, message, entry);
      this.#wanted.add(offset);
    }
    return undefined;
  }

  #nextOfLane(now: number, suspectAllowed: boolean): Candidate | undefined {
    const offset = this.#lanes?.next(now, (head) => {
      const entry = this.state().entry(head);
      if (entry && isSuspect(entry) && !suspectAllowed) return false;
      if (this.#laneMessages.has(head) || this.#kept.has(head)) return true;
      this.#wanted.add(head);
      return false;
    });
    if (offset === undefined) return undefined;
    const message = this.#laneMessages.get(offset) ?? this.#kept.get(offset)!;
    return this.#leaseOne(offset, message, this.state().entry(offset));
  }

  #nextFetched(): Candidate | undefined {
    while (this.#head < this.#fetched.length) {
      const { offset, message } = this.#fetched[this.#head++]!;
      this.#fetchedBytes -= weightOf(message);
      if (this.#head > 1_000 && this.#head * 2 > this.#fetched.length) {
        this.#fetched.splice(0, this.#head);
        this.#head = 0;
      }
      if (this.state().isUntouched(offset) && !this.#leasing.has(offset))
        return this.#leaseOne(offset, message, undefined);
    }
    return undefined;
  }

  #nextOfStretch(now: number, most: number): Candidate | undefined {
    for (let stretch = this.#stretches[0]; stretch; stretch = this.#stretches[0]) {
      const { cursor } = stretch;
      if (!stretch.step()) {
        this.#stretches.shift();
        if (stretch.next < cursor.end) this.reader.gap(stretch.next, cursor.end - 1);
        continue;
      }
      const { offset } = cursor;
      if (offset > stretch.next) this.reader.gap(stretch.next, offset - 1);
      const freeUntil = this.#freeUntil(offset, offset + most - 1);
      if (freeUntil >= offset && isDueMessage(cursor, now)) {
        const messages = stretch.takeRun(freeUntil, now, this.reader.message);
        return this.#lease(messages, '', false);
      }
      stretch.pass();
      if (freeUntil < offset) continue;
      if (cursor.isControl) {
        this.reader.gap(offset, offset);
        continue;
      }
      const message = this.reader.message(cursor);
      this.reader.delayed(offset, message, message.publishedAt + message.delayMs);
    }
    return undefined;
  }

  /** The last of the neighbours from `from` on that are untouched and not on their way to a lease. */
  #freeUntil(from: number, to: number): number {
    let end = this.state().untouchedUntil(from, to);
    for (const leasing of this.#leasing.values()) {
      if (leasing.to >= from && leasing.from <= end) end = leasing.from - 1;
    }
    return end;
  }

  #leaseOne(offset: number, message: StoredMessage, entry: Entry | undefined): Candidate {
    const key = this.#lanes ? (entry?.key ?? keyHash(message.key)) : '';
    return this.#lease(MessageRun.of(offset, message), key, entry !== undefined && isSuspect(entry));
  }

  #lease(messages: MessageRun, key: string, suspect: boolean): Candidate {
    const { from, to } = messages;
    const candidate = { from, to, messages, key, suspect };
    this.#leasing.set(from, candidate);
    this.#leasingCount += messages.length;
    return candidate;
  }

  #changedOne(offset: number, entry: Entry | undefined): void {
    if (entry) this.#forgetFetched(offset, !entry.lease);
    if (!entry) {
      this.#drop(offset);
      this.#lanes?.remove(offset);
      return;
    }
    if (this.#lanes && entry.key) return this.#lanes.set(entry.key, offset, entry);
    if (entry.lease) return;
    if (isSuspect(entry)) this.#suspects.push(offset);
    else this.#due.push(entry.due, offset);
  }

  #idle(offset: number): Entry | undefined {
    const entry = this.state().entry(offset);
    return entry && !entry.lease && !this.#leasing.has(offset) ? entry : undefined;
  }

  #forgetFetched(offset: number, keep: boolean): void {
    const message = this.#laneMessages.get(offset);
    if (!message) return;
    this.#laneMessages.delete(offset);
    this.#fetchedBytes -= weightOf(message);
    if (keep) this.keep(offset, message);
  }

  #drop(offset: number): void {
    const message = this.#kept.get(offset);
    if (message && this.#kept.delete(offset)) this.#keptBytes -= weightOf(message);
  }
}

function isSuspect({ prior }: Entry): boolean {
  return prior === 'crashed' || prior === 'crashed-alone';
}
