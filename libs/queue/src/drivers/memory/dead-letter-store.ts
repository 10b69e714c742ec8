import type { DeadLetter, DeadLetterStore } from '../../queue-driver.js';
import type { DeadEntry } from './dead-letters.js';
import type { StoredGroup } from './stored-group.js';
import { originOf } from './stored-message.js';

/** The port's limit. */
const MAX_PAGE = 1_000;

/** A group as its dead letters need it; undefined where it does not exist. */
export type GroupAccess = () => Promise<StoredGroup | undefined>;

/** What a connection shows of a group's dead letters. `access` rejects when the connection is gone. */
export function deadLetterStore(access: GroupAccess): DeadLetterStore {
  return {
    async list(filter, { limit, after }) {
      const group = await access();
      if (group === undefined) return [];
      return group.deadLetters
        .select(filter)
        .sort(byDeath)
        .filter((dead) => after === undefined || comesAfter(dead, after))
        .slice(0, Math.min(limit, MAX_PAGE))
        .map((dead) => toDeadLetter(dead, group.name));
    },
    async countByError(filter) {
      const counts = new Map<string, number>();
      for (const { errorCode } of (await access())?.deadLetters.select(filter) ?? []) {
        counts.set(errorCode, (counts.get(errorCode) ?? 0) + 1);
      }
      return [...counts].map(([errorCode, count]) => ({ errorCode, count })).sort((a, b) => b.count - a.count);
    },
    async redrive(ids, actor) {
      return (await access())?.redrive(ids, actor) ?? 0;
    },
    async discard(ids, actor) {
      return (await access())?.discard(ids, actor) ?? 0;
    },
    async audit(limit) {
      return (await access())?.deadLetters.audit(limit) ?? [];
    },
  };
}

function byDeath(a: DeadEntry, b: DeadEntry): number {
  return a.deadAt - b.deadAt || (a.message.id < b.message.id ? -1 : 1);
}

function comesAfter(dead: DeadEntry, after: DeadLetter): boolean {
  const deadAt = after.deadAt.getTime();
  return dead.deadAt > deadAt || (dead.deadAt === deadAt && dead.message.id > after.id);
}

function toDeadLetter(dead: DeadEntry, group: string): DeadLetter {
  const { message } = dead;
  return {
    id: message.id,
    queue: message.queue,
    group,
    key: message.key,
    payload: new Uint8Array(message.payload),
    headers: message.headers,
    reason: dead.reason,
    errorCode: dead.errorCode,
    deliveryCount: dead.deliveryCount,
    redriveCount: dead.redriveCount,
    publishedAt: new Date(message.publishedAt),
    firstSeenAt: new Date(dead.firstSeenAt),
    deadAt: new Date(dead.deadAt),
    origin: originOf(message),
  };
}
