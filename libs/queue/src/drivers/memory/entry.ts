import type { PreviousEnd } from '../../queue-driver.js';
import type { KeyLane } from './key-lane.js';
import type { StoredMessage } from './stored-message.js';

/** Where one message stands in one group. */
export interface Entry {
  readonly message: StoredMessage;
  /** The lane of its key; none without key, or in a group without key order. */
  lane: KeyLane | undefined;
  state: 'waiting' | 'ready' | 'leased' | 'settled';
  dueAt: number;
  /** Lies in the heap of what can be taken. */
  offered: boolean;
  deliveryCount: number;
  firstSeenAt: number | undefined;
  lastErrorCode: string | undefined;
  previousEnd: PreviousEnd;
  readonly redriveCount: number;
}

export function newEntry(message: StoredMessage, redriveCount = 0): Entry {
  return {
    message,
    lane: undefined,
    state: 'waiting',
    dueAt: message.dueAt,
    offered: false,
    deliveryCount: 0,
    firstSeenAt: undefined,
    lastErrorCode: undefined,
    previousEnd: 'none',
    redriveCount,
  };
}

/** Its last lease ended with its worker's death. */
export function isSuspect(entry: Entry): boolean {
  return entry.previousEnd === 'crashed' || entry.previousEnd === 'crashed-alone';
}

export function earlierPublished(a: Entry, b: Entry): boolean {
  return a.message.sequence < b.message.sequence;
}

export function earlierDue(a: Entry, b: Entry): boolean {
  return a.dueAt < b.dueAt || (a.dueAt === b.dueAt && earlierPublished(a, b));
}
