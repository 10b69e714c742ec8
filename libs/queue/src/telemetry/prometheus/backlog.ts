import { Gauge } from 'prom-client';
import type { Registry } from 'prom-client';
import type { Ackline } from '../../ackline.js';
import type { GroupStats } from '../../queue-driver.js';

/** Whose backlog is shown where. */
export interface BacklogOptions {
  readonly registry: Registry;
  readonly ackline: Ackline;
  /** Whose backlog is shown. Left out, every group of every queue that the store has, asked for at each scrape. */
  readonly groups?: readonly { readonly queue: string; readonly group: string }[];
}

/**
 * Gauges of what waits, read from the store at each scrape; one process a store is enough. With the store away the scrape
 * goes on without them: an old value would look like a live one.
 *
 * | metric | labels |
 * |---|---|
 * | `queue_group_messages` | queue, group, state: `ready`, `waiting`, `in_flight`, `dead_letter` |
 * | `queue_group_oldest_age_seconds` (of the oldest message not settled; 0 when all are) | queue, group |
 */
export function observeBacklog({ registry, ackline, groups }: BacklogOptions): void {
  const read = shared(() => statsOf(ackline, groups));
  new Gauge({
    name: 'queue_group_messages',
    help: 'Messages of a group that are not settled, and its dead letters.',
    labelNames: ['queue', 'group', 'state'] as const,
    registers: [registry],
    async collect(): Promise<void> {
      const stats = await read();
      this.reset();
      for (const { queue, group, ready, waiting, inFlight, deadLetters } of stats) {
        const counts = { ready, waiting, in_flight: inFlight, dead_letter: deadLetters };
        for (const [state, count] of Object.entries(counts)) this.set({ queue, group, state }, count);
      }
    },
  });
  new Gauge({
    name: 'queue_group_oldest_age_seconds',
    help: 'Age of the oldest message that a group has not settled.',
    labelNames: ['queue', 'group'] as const,
    registers: [registry],
    async collect(): Promise<void> {
      const stats = await read();
      this.reset();
      for (const { queue, group, oldestAgeMs } of stats) this.set({ queue, group }, (oldestAgeMs ?? 0) / 1_000);
    },
  });
}

/** Those who ask while one answer is on its way get that answer: a scrape asks the store once. */
function shared<T>(ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  return () => (answer ??= ask().finally(() => (answer = undefined)));
}

async function statsOf(ackline: Ackline, groups: BacklogOptions['groups']): Promise<readonly GroupStats[]> {
  try {
    const asked =
      groups ??
      (await ackline.queues()).flatMap(({ queue, groups: names }) => names.map((group) => ({ queue, group })));
    return await Promise.all(asked.map(({ queue, group }) => ackline.stats(queue, group)));
  } catch {
    return [];
  }
}
