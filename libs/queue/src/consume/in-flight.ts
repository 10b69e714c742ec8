import type { Cancel, Clock } from '../clock.js';
import type { TakeLimit } from '../queue-driver.js';
import type { ResolvedConsumeOptions } from './consume-options.js';
import type { DeliveryRun } from './delivery-run.js';
import { Waiter } from './waiter.js';

/**
 * Messages in flight for each handler that may run. A handler that has ended makes room for the next while its
 * settlement is still on its way to the store: at 3 ms a settlement, 16 keep a worker busy whose handlers take 0.2 ms.
 */
export const IN_FLIGHT_PER_HANDLER = 16;

/** What one worker has in flight: handlers that run, and settlements that are not durable yet. */
export class InFlight {
  /**
   * Each run stands at its `place`. Not a `Set`: of very many that come and go it leaves copies behind, which V8 keeps,
   * with all that they lead to, until the next full collection.
   */
  readonly #runs: (DeliveryRun | undefined)[] = [];
  readonly #freePlaces: number[] = [];
  #byLease: Map<string, DeliveryRun> | undefined;
  readonly #changed = new Waiter();
  #handling = 0;
  #bytes = 0;
  #cancelWatch: Cancel | undefined;

  constructor(
    private readonly options: Pick<ResolvedConsumeOptions, 'concurrency' | 'maxBytesInFlight' | 'handlerTimeoutMs'>,
    private readonly clock: Clock,
    private readonly onTimeout: (run: DeliveryRun) => void,
  ) {}

  get size(): number {
    return this.#runs.length - this.#freePlaces.length;
  }

  runs(): readonly DeliveryRun[] {
    return this.#runs.filter((run) => run !== undefined);
  }

  /** Leases are lost seldom, and then many at once: an index as long as that lasts, rather than one kept for every message. */
  byLease(leaseId: string): DeliveryRun | undefined {
    if (!this.#byLease) {
      this.#byLease = new Map();
      for (const run of this.runs()) this.#byLease.set(run.taken.lease.id, run);
      queueMicrotask(() => {
        this.#byLease = undefined;
      });
    }
    const run = this.#byLease.get(leaseId);
    return run && run.place >= 0 ? run : undefined;
  }

  /** How much may be taken now, `most` messages at most; undefined for nothing. */
  room(most: number): TakeLimit | undefined {
    const { concurrency, maxBytesInFlight } = this.options;
    const unsettled = this.size;
    const messages = Math.min(concurrency - this.#handling, IN_FLIGHT_PER_HANDLER * concurrency - unsettled, most);
    const bytes = maxBytesInFlight - this.#bytes;
    if (messages <= 0 || (bytes <= 0 && unsettled > 0)) return undefined;
    return { messages, bytes: Math.max(bytes, 1) };
  }

  add(run: DeliveryRun): void {
    run.place = this.#freePlaces.pop() ?? this.#runs.length;
    this.#runs[run.place] = run;
    this.#byLease = undefined;
    this.#bytes += run.bytes;
  }

  handlerStarts(run: DeliveryRun): void {
    run.isHandling = true;
    this.#handling += 1;
    if (!this.#cancelWatch) this.#watchFor(this.options.handlerTimeoutMs);
  }

  /** It has returned, or thrown, or nobody waits for it any more. */
  handlerEnds(run: DeliveryRun): void {
    if (!run.isHandling) return;
    run.isHandling = false;
    this.#handling -= 1;
    this.#endIfOver(run);
    this.#changed.wake();
  }

  /** Its settlement is durable, or will never be. */
  settlementEnds(run: DeliveryRun): void {
    run.isSettled = true;
    this.#endIfOver(run);
  }

  /** Resolves when there may be more room than before; `wake` ends it too. */
  changed(): Promise<void> {
    return this.#changed.wait();
  }

  wake(): void {
    this.#changed.wake();
  }

  /** Resolves when nothing is in flight. */
  async emptied(): Promise<void> {
    while (this.size > 0) await this.#changed.wait();
  }

  close(): void {
    this.#cancelWatch?.();
  }

  #endIfOver(run: DeliveryRun): void {
    if (run.isHandling || !run.isSettled || run.place < 0) return;
    this.#runs[run.place] = undefined;
    this.#freePlaces.push(run.place);
    run.place = -1;
    this.#bytes -= run.bytes;
    this.#changed.wake();
  }

  /** One timer for all, for the oldest one's end. */
  #watchFor(delayMs: number): void {
    this.#cancelWatch?.();
    this.#cancelWatch = this.clock.schedule(delayMs, () => {
      this.#cancelWatch = undefined;
      const endsAt = (run: DeliveryRun): number => run.startedAt + this.options.handlerTimeoutMs;
      const now = this.clock.monotonic();
      for (const run of this.runs()) if (run.isHandling && endsAt(run) <= now) this.onTimeout(run);
      const next = this.runs().flatMap((run) => (run.isHandling ? [endsAt(run)] : []));
      if (next.length > 0) this.#watchFor(Math.min(...next) - now);
    });
  }
}
