import type { Clock } from './clock.js';
import { pause } from './consume/waiter.js';
import { InvalidOptionError } from './errors.js';
import type { QueueObserver } from './observer.js';
import type { DeadLetter, DeadLetterAudit, DeadLetterFilter, DeadLetterStore } from './queue-driver.js';

/** How dead letters are redriven or discarded. */
export interface DeadLetterActionOptions {
  /** Who asks, for the audit: 1 to 200 characters. */
  readonly actor: string;
  /** At most this many a second; without it, as fast as they go. */
  readonly ratePerSecond?: number;
  /** Only counts what would be done. */
  readonly dryRun?: boolean;
  /** Told after each step how many are done, and of how many. */
  readonly onProgress?: (done: number, of: number) => void;
  /** Ends the act between two steps; what is done stays done, and the same call goes on with the rest. */
  readonly signal?: AbortSignal;
}

/** Records of the audit that belong together: one actor's redrives, or discards, with no longer pause than a minute. */
export interface DeadLetterAct {
  readonly actor: string;
  readonly action: DeadLetterAudit['action'];
  readonly from: Date;
  readonly to: Date;
  readonly count: number;
}

export interface DeadLettersSetting {
  readonly queue: string;
  readonly group: string;
  readonly clock: Clock;
  readonly observe: QueueObserver;
}

const PAGE = 200;
/** Steps a second at a rate: each is one call of the store. */
const STEPS_PER_SECOND = 10;
const ONE_ACT_MS = 60_000;

/**
 * The dead letters of one group (promise 6): one, some by filter, or all.
 *
 * An act is a series of steps. Each letter moves whole together with its record in the audit, or stays; so an act that
 * is cut off, also by kill -9, is finished by the same call again.
 */
export class DeadLetters {
  constructor(
    private readonly store: DeadLetterStore,
    private readonly setting: DeadLettersSetting,
  ) {}

  /** Oldest first, read page by page as they are asked for. */
  async *list(filter: DeadLetterFilter = {}): AsyncGenerator<DeadLetter, void, undefined> {
    let after: DeadLetter | undefined;
    do {
      const page = await this.store.list(filter, { limit: PAGE, ...(after && { after }) });
      yield* page;
      after = page.length === PAGE ? page.at(-1) : undefined;
    } while (after);
  }

  /** Most frequent first. */
  async countByError(
    filter: DeadLetterFilter = {},
  ): Promise<readonly { readonly errorCode: string; readonly count: number }[]> {
    const counts = await this.store.countByError(filter);
    return [...counts].sort((a, b) => b.count - a.count || (a.errorCode < b.errorCode ? -1 : 1));
  }

  async count(filter: DeadLetterFilter = {}): Promise<number> {
    return (await this.store.countByError(filter)).reduce((sum, { count }) => sum + count, 0);
  }

  /** Delivers them again to this group, under their own ids. Resolves with how many. @throws InvalidOptionError */
  redrive(filter: DeadLetterFilter, options: DeadLetterActionOptions): Promise<number> {
    return this.#act('redrive', filter, options);
  }

  /** Removes them for good. Resolves with how many. @throws InvalidOptionError */
  discard(filter: DeadLetterFilter, options: DeadLetterActionOptions): Promise<number> {
    return this.#act('discard', filter, options);
  }

  /** Who did what to which message, newest first; a record for each message, at most 10,000. */
  audit(limit = 100): Promise<readonly DeadLetterAudit[]> {
    return this.store.audit(limit);
  }

  /** Who did what, when, to how many; newest first, from the newest 10,000 records of the audit. */
  async acts(limit = 20): Promise<readonly DeadLetterAct[]> {
    const acts: DeadLetterAct[] = [];
    for (const { actor, action, at } of await this.store.audit(10_000)) {
      const last = acts.at(-1);
      const same = last?.actor === actor && last.action === action && last.from.getTime() - at.getTime() <= ONE_ACT_MS;
      if (last && same) acts[acts.length - 1] = { ...last, from: at, count: last.count + 1 };
      else if (acts.length === limit) break;
      else acts.push({ actor, action, from: at, to: at, count: 1 });
    }
    return acts;
  }

  /** Acts on those that are dead now, so that one that comes back dead during a redrive is not redriven for ever. */
  async #act(
    action: DeadLetterAudit['action'],
    filter: DeadLetterFilter,
    { actor, ratePerSecond, dryRun, onProgress, signal }: DeadLetterActionOptions,
  ): Promise<number> {
    if (actor.length < 1 || actor.length > 200)
      throw new InvalidOptionError('actor must name who asks, in 1 to 200 characters.');
    if (ratePerSecond !== undefined && !(ratePerSecond > 0)) {
      throw new InvalidOptionError(`ratePerSecond is ${ratePerSecond}: use a number above 0.`);
    }
    if (dryRun) return this.count(filter);
    const ids: string[] = [];
    for await (const { id } of this.list(filter)) {
      if (signal?.aborted) return 0;
      ids.push(id);
    }
    const { queue, group, observe } = this.setting;
    let done = 0;
    try {
      for await (const some of this.#steps(ids, ratePerSecond, signal)) {
        done += await this.store[action](some, actor);
        onProgress?.(done, ids.length);
      }
    } finally {
      const type = action === 'redrive' ? 'dead-letters-redriven' : 'dead-letters-discarded';
      if (done > 0) observe({ type, queue, group, actor, count: done });
    }
    return done;
  }

  /** The ids in steps, at the rate asked for: counted from the start, so that a slow step is made up for by the next. */
  async *#steps(
    ids: readonly string[],
    ratePerSecond: number | undefined,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<readonly string[], void, undefined> {
    const { clock } = this.setting;
    const size = Math.max(1, Math.min(PAGE, Math.floor((ratePerSecond ?? Infinity) / STEPS_PER_SECOND)));
    const startedAt = clock.monotonic();
    for (let at = 0; at < ids.length && !signal?.aborted; at += size) {
      const dueAt = ratePerSecond === undefined ? 0 : startedAt + (at / ratePerSecond) * 1_000;
      const early = dueAt - clock.monotonic();
      if (early > 0) await pause(clock, early, signal);
      if (!signal?.aborted) yield ids.slice(at, at + size);
    }
  }
}
