import { setTimeout as sleep } from 'node:timers/promises';
import { BrokerUnavailableError } from '../../errors.js';
import { sqlState } from './store.js';
import type { Store } from './store.js';

export interface NewGroup {
  readonly queue: string;
  readonly name: string;
  /** What a group that is new starts with; `last`: the newest so many; `after`: those behind that seq. */
  readonly from: 'beginning' | 'latest' | 'last' | 'after';
  readonly last: bigint;
  /** How long an ephemeral reader lasts without being renewed; null for a group that stays. */
  readonly aliveMs: number | null;
}

const LOCK_NOT_AVAILABLE = '55P03';
/** Publishers wait behind a group that waits: so it waits this long at most, and lets them pass before it tries again. */
const LOCK_TIMEOUT_MS = 100;
const PAUSE_MS = 100;
const ATTEMPTS = 20;

/**
 * Finds or makes a group; resolves with its id. A group is made between transactions that publish to its queue, so that
 * it misses none: it waits for those that are open.
 * @throws BrokerUnavailableError when one stays open for some seconds.
 */
export async function ensureGroup(store: Store, group: NewGroup): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await store.transaction(async (client) => {
        await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
        const { rows } = await client.query<{ id: number }>('select ackline.ensure_group($1, $2, $3, $4, $5) as id', [
          group.queue,
          group.name,
          group.from,
          group.last.toString(),
          group.aliveMs,
        ]);
        return rows[0]!.id;
      });
    } catch (cause) {
      if (sqlState(cause) !== LOCK_NOT_AVAILABLE) throw cause;
      if (attempt === ATTEMPTS) {
        throw new BrokerUnavailableError(
          `a transaction that published to ${group.queue} is still open: group ${group.name} can be made once it ends.`,
          { cause },
        );
      }
      await sleep(PAUSE_MS * (0.5 + Math.random()));
    }
  }
}
