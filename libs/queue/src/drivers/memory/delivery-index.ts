import type { DeliveryOrder } from '../../queue-driver.js';
import { earlierDue, earlierPublished, isSuspect, type Entry } from './entry.js';
import { KeyLane } from './key-lane.js';
import { MinHeap } from './min-heap.js';

/**
 * What of one group can be taken next. Every step costs O(log n) of what is unsettled. A heap may hold an entry that
 * its lane no longer offers; it is passed over when it comes to the top, and offered again when the lane changes.
 */
export class DeliveryIndex {
  private readonly waiting = new MinHeap<Entry>(earlierDue);
  private readonly suspects = new MinHeap<Entry>(earlierPublished);
  private readonly others = new MinHeap<Entry>(earlierPublished);
  private readonly lanes = new Map<string, KeyLane>();

  constructor(readonly order: DeliveryOrder) {}

  /** Takes in an entry; one that is leased (when a group changes its order) only blocks its lane. */
  add(entry: Entry, now: number): void {
    entry.offered = false;
    entry.lane = this.laneFor(entry);
    if (entry.state !== 'leased') entry.state = 'waiting';
    entry.lane?.joined(entry);
    if (entry.state === 'waiting') this.wait(entry, now);
  }

  /** Its lease has ended without settling it: deliver again at `entry.dueAt`. */
  putBack(entry: Entry, now: number): void {
    entry.state = 'waiting';
    entry.lane?.returned(entry);
    this.wait(entry, now);
  }

  /** Makes ready what has become due. */
  promote(now: number): void {
    for (let entry = this.waiting.peek(); entry !== undefined && entry.dueAt <= now; entry = this.waiting.peek()) {
      this.waiting.pop();
      this.makeReady(entry);
    }
  }

  nextDueAt(): number {
    return this.waiting.peek()?.dueAt ?? Infinity;
  }

  /** The oldest that may be taken now, among the suspects or among the others. */
  next(kind: 'suspect' | 'other'): Entry | undefined {
    const heap = kind === 'suspect' ? this.suspects : this.others;
    for (let entry = heap.peek(); entry !== undefined; entry = heap.peek()) {
      if (entry.state === 'ready' && (entry.lane === undefined || entry.lane.candidate() === entry)) return entry;
      heap.pop();
      entry.offered = false;
    }
    return undefined;
  }

  /** @param entry as {@link next} gave it, nothing having changed since. */
  lease(entry: Entry): void {
    (isSuspect(entry) ? this.suspects : this.others).pop();
    entry.offered = false;
    entry.state = 'leased';
    entry.lane?.leased(entry);
  }

  settled(entry: Entry): void {
    entry.state = 'settled';
    const { lane } = entry;
    if (lane === undefined) return;
    lane.settled(entry);
    if (lane.empty) this.lanes.delete(entry.message.key as string);
    else this.offerCandidate(lane);
  }

  private wait(entry: Entry, now: number): void {
    if (entry.dueAt <= now) {
      this.makeReady(entry);
      return;
    }
    this.waiting.push(entry);
    if (entry.lane !== undefined) this.offerCandidate(entry.lane);
  }

  private makeReady(entry: Entry): void {
    entry.state = 'ready';
    if (entry.lane === undefined) {
      this.offer(entry);
      return;
    }
    entry.lane.becameReady(entry);
    this.offerCandidate(entry.lane);
  }

  private offerCandidate(lane: KeyLane): void {
    const candidate = lane.candidate();
    if (candidate !== undefined && !candidate.offered) this.offer(candidate);
  }

  private offer(entry: Entry): void {
    entry.offered = true;
    (isSuspect(entry) ? this.suspects : this.others).push(entry);
  }

  private laneFor({ message }: Entry): KeyLane | undefined {
    if (this.order.by === 'none' || message.key === undefined) return undefined;
    let lane = this.lanes.get(message.key);
    if (lane === undefined) {
      lane = new KeyLane(this.order.whenHeadWaits);
      this.lanes.set(message.key, lane);
    }
    return lane;
  }
}
