import type { DeadLetterAudit, DeadLetterFilter, DeadLetterReason } from '../../queue-driver.js';
import type { Entry } from './entry.js';
import type { StoredMessage } from './stored-message.js';

/** A dead letter as its group keeps it. */
export interface DeadEntry {
  readonly message: StoredMessage;
  readonly reason: DeadLetterReason;
  readonly errorCode: string;
  readonly deliveryCount: number;
  readonly redriveCount: number;
  readonly firstSeenAt: number;
  readonly deadAt: number;
}

/** The dead letters of one group, by message id: one message dead-lettered twice is one dead letter. */
export class DeadLetters {
  private readonly byId = new Map<string, DeadEntry>();
  private readonly acts: DeadLetterAudit[] = [];

  get size(): number {
    return this.byId.size;
  }

  add(entry: Entry, reason: DeadLetterReason, errorCode: string, now: number): void {
    const { message, deliveryCount, redriveCount } = entry;
    // Deleted first, so that the map stays in the order of `deadAt`.
    this.byId.delete(message.id);
    this.byId.set(message.id, {
      message,
      reason,
      errorCode,
      deliveryCount,
      redriveCount,
      firstSeenAt: entry.firstSeenAt ?? now,
      deadAt: now,
    });
  }

  remove(ids: readonly string[], action: DeadLetterAudit['action'], actor: string, now: number): DeadEntry[] {
    const removed: DeadEntry[] = [];
    for (const id of ids) {
      const dead = this.byId.get(id);
      if (dead === undefined) continue;
      this.byId.delete(id);
      this.acts.push({ at: new Date(now), actor, action, messageId: id });
      removed.push(dead);
    }
    return removed;
  }

  select(filter: DeadLetterFilter): DeadEntry[] {
    const ids = filter.ids && new Set(filter.ids);
    return [...this.byId.values()].filter(
      (dead) =>
        (ids === undefined || ids.has(dead.message.id)) &&
        (filter.key === undefined || dead.message.key === filter.key) &&
        (filter.errorCode === undefined || dead.errorCode === filter.errorCode) &&
        (filter.reason === undefined || dead.reason === filter.reason) &&
        (filter.deadBefore === undefined || dead.deadAt < filter.deadBefore.getTime()) &&
        (filter.deadAfter === undefined || dead.deadAt > filter.deadAfter.getTime()),
    );
  }

  audit(limit: number): readonly DeadLetterAudit[] {
    return limit > 0 ? this.acts.slice(-limit).reverse() : [];
  }
}
