import type { Clock } from './clock.js';
import { pause } from './consume/waiter.js';
import { InvalidOptionError } from './errors.js';
import type { DeadLetter, DeadLetterAudit, DeadLetterFilter, DeadLetterStore } from './queue-driver.js';

export interface DeadLetterActionOptions {
  /** Who asks, for the audit: 1 to 200 characters. */
  readonly actor: string;
  /** At most this many a second; without it, as fast as they go. */
  readonly ratePerSecond?: number;
  /** Only counts what would be done. */
  readonly dryRun?: boolean;
  readonly onProgress?: (done: number) => void;
  readonly signal?: AbortSignal;
}

const PAGE = 200;

/** The dead letters of one group (promise 6): one, some by filter, or all. */
export class DeadLetters {
  constructor(
    private readonly store: DeadLetterStore,
    private readonly clock: Clock,
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

  countByError(
    filter: DeadLetterFilter = {},
  ): Promise<readonly { readonly errorCode: string; readonly count: number }[]> {
    return this.store.countByError(filter);
  }

  /** Delivers them again to this group, under their own ids. Resolves with how many. */
  redrive(filter: DeadLetterFilter, options: DeadLetterActionOptions): Promise<number> {
    return this.#act(filter, options, (ids) => this.store.redrive(ids, options.actor));
  }

  /** Removes them for good. Resolves with how many. */
  discard(filter: DeadLetterFilter, options: DeadLetterActionOptions): Promise<number> {
    return this.#act(filter, options, (ids) => this.store.discard(ids, options.actor));
  }

  /** Who did what, newest first. */
  audit(limit = 100): Promise<readonly DeadLetterAudit[]> {
    return this.store.audit(limit);
  }

  /** Acts on those that are dead now, so that one that comes back dead during a redrive is not redriven for ever. */
  async #act(
    filter: DeadLetterFilter,
    { actor, ratePerSecond, dryRun, onProgress, signal }: DeadLetterActionOptions,
    act: (ids: readonly string[]) => Promise<number>,
  ): Promise<number> {
    if (actor.length < 1 || actor.length > 200)
      throw new InvalidOptionError('actor must name who asks, in 1 to 200 characters.');
    if (ratePerSecond !== undefined && !(ratePerSecond > 0)) {
      throw new InvalidOptionError(`ratePerSecond is ${ratePerSecond}: use a number above 0.`);
    }
    const ids: string[] = [];
    for await (const letter of this.list(filter)) ids.push(letter.id);
    if (dryRun) return ids.length;
    const step = ratePerSecond === undefined ? PAGE : Math.max(1, Math.min(PAGE, Math.floor(ratePerSecond / 10)));
    let done = 0;
    for (let at = 0; at < ids.length && !signal?.aborted; at += step) {
      const some = ids.slice(at, at + step);
      done += await act(some);
      onProgress?.(done);
      const more = at + step < ids.length;
      if (ratePerSecond !== undefined && more) await pause(this.clock, (some.length / ratePerSecond) * 1_000, signal);
    }
    return done;
  }
}
