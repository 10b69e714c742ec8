import type { DeliveryOrder } from '../../../queue-driver.js';
import type { Entry } from '../ledger/records.js';
import { DueHeap } from './due-heap.js';

/** A message of a key: fetched and untouched, or with an entry in the ledger. */
interface LaneItem {
  readonly offset: number;
  entry: Entry | undefined;
  /** Its lease record is on the way. */
  leasing: boolean;
}

interface Lane {
  readonly key: string;
  /** Ascending by offset: publish order. */
  readonly items: LaneItem[];
  queued: boolean;
}

/** One after another within a key, keys beside each other (promise 7). */
export class KeyLanes {
  readonly #lanes = new Map<string, Lane>();
  readonly #laneOf = new Map<number, Lane>();
  /** Lanes whose head may be free. */
  #ready: Lane[] = [];
  readonly #due = new DueHeap();

  constructor(private readonly whenHeadWaits: (DeliveryOrder & { by: 'key' })['whenHeadWaits']) {}

  has(offset: number): boolean {
    return this.#laneOf.has(offset);
  }

  /** How many fetched messages of this key wait behind its head. */
  lengthOf(key: string): number {
    return this.#lanes.get(key)?.items.length ?? 0;
  }

  /** Untouched offsets behind the head of the key. */
  behindHead(key: string): number[] {
    const items = this.#lanes.get(key)?.items ?? [];
    return items.slice(1).flatMap(({ offset, entry, leasing }) => (entry || leasing ? [] : [offset]));
  }

  set(key: string, offset: number, entry: Entry | undefined): void {
    let lane = this.#lanes.get(key);
    if (!lane) this.#lanes.set(key, (lane = { key, items: [], queued: false }));
    const index = lane.items.findIndex((item) => item.offset >= offset);
    const known = lane.items[index];
    if (known?.offset === offset) {
      known.entry = entry;
      known.leasing = false;
    } else {
      const item = { offset, entry, leasing: false };
      if (index < 0) lane.items.push(item);
      else lane.items.splice(index, 0, item);
      this.#laneOf.set(offset, lane);
    }
    this.#queue(lane);
  }

  remove(offset: number): void {
    const lane = this.#laneOf.get(offset);
    if (!lane) return;
    this.#laneOf.delete(offset);
    lane.items.splice(
      lane.items.findIndex((item) => item.offset === offset),
      1,
    );
    if (lane.items.length === 0) this.#lanes.delete(lane.key);
    else this.#queue(lane);
  }

  /** Looks at the offset's lane again: its payload has come, or its lease was refused. */
  touch(offset: number): void {
    const lane = this.#laneOf.get(offset);
    if (!lane) return;
    for (const item of lane.items) if (item.offset === offset) item.leasing = false;
    this.#queue(lane);
  }

  touchAll(): void {
    for (const lane of this.#lanes.values()) this.#queue(lane);
  }

  nextDue(): number | undefined {
    return this.#due.peek()?.due;
  }

  /**
   * The next head that is free; `accept` says whether it can be leased now. One that cannot waits until its lane is
   * touched.
   */
  next(now: number, accept: (offset: number) => boolean): number | undefined {
    while ((this.#due.peek()?.due ?? Number.POSITIVE_INFINITY) <= now) {
      const lane = this.#laneOf.get(this.#due.pop()!.offset);
      if (lane) this.#queue(lane);
    }
    for (let lane = this.#ready.shift(); lane; lane = this.#ready.shift()) {
      lane.queued = false;
      const item = this.#head(lane, now);
      if (!item || !accept(item.offset)) continue;
      item.leasing = true;
      return item.offset;
    }
    return undefined;
  }

  #head(lane: Lane, now: number): LaneItem | undefined {
    if (lane.items.some(({ entry, leasing }) => leasing || entry?.lease)) return undefined;
    const isDue = ({ entry }: LaneItem): boolean => (entry?.due ?? 0) <= now;
    const [first] = lane.items;
    const free = this.whenHeadWaits === 'block' ? (first && isDue(first) ? first : undefined) : lane.items.find(isDue);
    for (const { entry, offset } of lane.items) {
      if (entry && entry.due > now) this.#due.push(entry.due, offset);
      if (this.whenHeadWaits === 'block') break;
    }
    return free;
  }

  #queue(lane: Lane): void {
    if (lane.queued) return;
    lane.queued = true;
    this.#ready.push(lane);
  }
}
