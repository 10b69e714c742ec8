import { earlierPublished, type Entry } from './entry.js';
import { MinHeap } from './min-heap.js';

/** The messages of one key in one group, handled one at a time in publish order (promise 7). */
export class KeyLane {
  /** Blocking: all that are not settled, since a head that waits holds the lane. Overtaking: those that are ready. */
  private readonly line = new MinHeap<Entry>(earlierPublished);
  private readonly unsettled = new Set<Entry>();
  private readonly inFlight = new Set<Entry>();

  constructor(private readonly whenHeadWaits: 'block' | 'overtake') {}

  get empty(): boolean {
    return this.unsettled.size === 0;
  }

  /** Joins the lane, in whatever state it is. */
  joined(entry: Entry): void {
    this.unsettled.add(entry);
    if (this.whenHeadWaits === 'block') this.line.push(entry);
    if (entry.state === 'leased') this.inFlight.add(entry);
  }

  becameReady(entry: Entry): void {
    if (this.whenHeadWaits === 'overtake') this.line.push(entry);
  }

  /** It was the candidate. */
  leased(entry: Entry): void {
    this.inFlight.add(entry);
    if (this.whenHeadWaits === 'overtake') this.line.pop();
  }

  /** Its lease has ended, its message is not settled. */
  returned(entry: Entry): void {
    this.inFlight.delete(entry);
  }

  settled(entry: Entry): void {
    this.inFlight.delete(entry);
    this.unsettled.delete(entry);
  }

  /** The only message that may be taken now. */
  candidate(): Entry | undefined {
    if (this.inFlight.size > 0) return undefined;
    while (this.line.peek()?.state === 'settled') this.line.pop();
    const head = this.line.peek();
    return head?.state === 'ready' ? head : undefined;
  }
}
