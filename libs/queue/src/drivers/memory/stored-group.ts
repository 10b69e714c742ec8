import type { Clock } from '../../clock.js';
import { LeaseLostError } from '../../errors.js';
import type { DeliveryOrder, GroupStats, Lease, Settlement, TakeLimit, TakenMessage } from '../../queue-driver.js';
import { Changes } from './changes.js';
import { DeadLetters } from './dead-letters.js';
import { DeliveryIndex } from './delivery-index.js';
import { newEntry, type Entry } from './entry.js';
import { toMessage, type StoredMessage } from './stored-message.js';

/** The store's side of one worker's membership. */
export interface Membership {
  readonly workerId: string;
  readonly visibilityTimeoutMs: number;
  /** A membership not heard of for `visibilityTimeoutMs` loses its leases. */
  lastHeardAt: number;
  readonly leases: Map<string, Entry>;
  suspect: Entry | undefined;
  readonly onLeaseLost: (lease: Lease) => void;
}

/** One consumer group of one queue: what it has not settled, who holds what, its dead letters. */
export class StoredGroup {
  readonly changes: Changes;
  readonly deadLetters = new DeadLetters();
  private index = new DeliveryIndex({ by: 'none' });
  private readonly unsettled = new Set<Entry>();
  private readonly memberships = new Set<Membership>();
  /** Fencing tokens: none is ever used twice. */
  private tokens = 0;

  constructor(
    private readonly queue: string,
    readonly name: string,
    private readonly clock: Clock,
  ) {
    this.changes = new Changes(clock);
  }

  /** The member that joined last decides the order for the whole group: two orders at once would keep neither. */
  join(membership: Membership, order: DeliveryOrder): void {
    this.memberships.add(membership);
    if (sameOrder(order, this.index.order)) return;
    this.index = new DeliveryIndex(order);
    for (const entry of this.unsettled) this.index.add(entry, this.clock.now());
    this.changes.notify();
  }

  add(message: StoredMessage): void {
    this.addEntry(newEntry(message));
  }

  take(membership: Membership, limit: TakeLimit): TakenMessage[] {
    this.heardOf(membership);
    this.index.promote(this.clock.now());
    const taken: TakenMessage[] = [];
    if (limit.messages < 1) return taken;
    const suspect = membership.suspect === undefined ? this.index.next('suspect') : undefined;
    if (suspect !== undefined) {
      membership.suspect = suspect;
      return [this.lease(membership, suspect)];
    }
    for (let bytes = 0; taken.length < limit.messages;) {
      const entry = this.index.next('other');
      if (entry === undefined) break;
      bytes += entry.message.payload.byteLength;
      if (taken.length > 0 && bytes > limit.bytes) break;
      taken.push(this.lease(membership, entry));
    }
    return taken;
  }

  settle(membership: Membership, lease: Lease, settlement: Settlement): void {
    this.heardOf(membership);
    const entry = this.endLease(membership, lease);
    if (entry === undefined) throw new LeaseLostError(`lease ${lease.id} is not this worker's any more`);
    const now = this.clock.now();
    if (settlement.type === 'nack') {
      entry.previousEnd = 'nacked';
      entry.lastErrorCode = settlement.errorCode;
      entry.dueAt = now + settlement.delayMs;
      this.index.putBack(entry, now);
    } else {
      if (settlement.type === 'reject') this.deadLetters.add(entry, settlement.reason, settlement.errorCode, now);
      this.unsettled.delete(entry);
      this.index.settled(entry);
    }
    this.changes.notify();
  }

  /** What was leased is as it was before: a suspect stays one, the delivery is not counted. */
  release(membership: Membership, leases: Iterable<Lease>): void {
    this.heardOf(membership);
    for (const lease of leases) {
      const entry = this.endLease(membership, lease);
      if (entry === undefined) continue;
      entry.deliveryCount -= 1;
      this.putBackNow(entry);
    }
    this.changes.notify();
  }

  leave(membership: Membership): void {
    const leases = [...membership.leases.keys()].map((id) => ({ id }));
    this.release(membership, leases);
    this.memberships.delete(membership);
  }

  /** Renews the membership's leases, unless it comes too late for them. */
  heardOf(membership: Membership): void {
    this.expire();
    membership.lastHeardAt = this.clock.now();
    // One that was away for too long is a member again, without its leases.
    this.memberships.add(membership);
  }

  redrive(ids: readonly string[], actor: string): number {
    const now = this.clock.now();
    const removed = this.deadLetters.remove(ids, 'redrive', actor, now);
    for (const dead of removed) {
      this.addEntry({
        ...newEntry(dead.message, dead.redriveCount + 1),
        dueAt: now,
        firstSeenAt: dead.firstSeenAt,
        lastErrorCode: dead.errorCode,
      });
    }
    return removed.length;
  }

  discard(ids: readonly string[], actor: string): number {
    return this.deadLetters.remove(ids, 'discard', actor, this.clock.now()).length;
  }

  stats(): GroupStats {
    this.expire();
    const now = this.clock.now();
    let [ready, waiting, inFlight] = [0, 0, 0];
    let oldest = Infinity;
    for (const entry of this.unsettled) {
      if (entry.state === 'leased') inFlight += 1;
      else if (entry.dueAt > now) waiting += 1;
      else ready += 1;
      oldest = Math.min(oldest, entry.message.publishedAt);
    }
    const { queue, name: group } = this;
    const oldestAgeMs = oldest === Infinity ? undefined : now - oldest;
    return { queue, group, ready, waiting, inFlight, deadLetters: this.deadLetters.size, oldestAgeMs };
  }

  /** When time alone can next make something ready. */
  nextChangeAt(): number {
    let at = this.index.nextDueAt();
    for (const { lastHeardAt, visibilityTimeoutMs } of this.memberships) {
      at = Math.min(at, lastHeardAt + visibilityTimeoutMs);
    }
    return at;
  }

  /** Takes their leases from members that were not heard of for their visibility timeout. */
  expire(): void {
    const now = this.clock.now();
    for (const membership of [...this.memberships]) {
      if (now < membership.lastHeardAt + membership.visibilityTimeoutMs) continue;
      this.memberships.delete(membership);
      const lost = [...membership.leases.keys()].map((id) => ({ id }));
      const { suspect } = membership;
      for (const lease of lost) {
        const entry = this.endLease(membership, lease) as Entry;
        entry.previousEnd = entry === suspect ? 'crashed-alone' : 'crashed';
        this.putBackNow(entry);
      }
      for (const lease of lost) membership.onLeaseLost(lease);
      this.changes.notify();
    }
  }

  private addEntry(entry: Entry): void {
    this.unsettled.add(entry);
    this.index.add(entry, this.clock.now());
    this.changes.notify();
  }

  private lease(membership: Membership, entry: Entry): TakenMessage {
    this.index.lease(entry);
    this.tokens += 1;
    const id = `${membership.workerId}/${this.tokens}`;
    membership.leases.set(id, entry);
    entry.deliveryCount += 1;
    entry.firstSeenAt ??= this.clock.now();
    return {
      lease: { id },
      message: toMessage(entry.message),
      deliveryCount: entry.deliveryCount,
      firstSeenAt: new Date(entry.firstSeenAt),
      lastErrorCode: entry.lastErrorCode,
      previousEnd: entry.previousEnd,
    };
  }

  private endLease(membership: Membership, { id }: Lease): Entry | undefined {
    const entry = membership.leases.get(id);
    membership.leases.delete(id);
    if (entry !== undefined && membership.suspect === entry) membership.suspect = undefined;
    return entry;
  }

  private putBackNow(entry: Entry): void {
    const now = this.clock.now();
    entry.dueAt = now;
    this.index.putBack(entry, now);
  }
}

function sameOrder(a: DeliveryOrder, b: DeliveryOrder): boolean {
  if (a.by === 'none' || b.by === 'none') return a.by === b.by;
  return a.whenHeadWaits === b.whenHeadWaits;
}
