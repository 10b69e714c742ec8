import type { Lease } from '../../../queue-driver.js';
import type { Held } from './held.js';

/** Leases that were over before. */
type Refused = ReadonlySet<Lease> | undefined;

/**
 * Endings that stand in one record of the ledger. They become durable together, so all who wait for one of them share a
 * promise; there are too many for one each.
 */
export class EndingBatch {
  readonly #held: Held[] = [];
  #durable: Promise<Refused> | undefined;
  #resolve: ((refused: Refused) => void) | undefined;
  #reject: ((error: Error) => void) | undefined;
  /** Monotonic time after which who waits is told that it takes too long. */
  #deadline = Number.POSITIVE_INFINITY;
  #gaveUp = false;

  /** Somebody was told that it takes too long, and may ask again, also when it is durable by then. */
  get gaveUp(): boolean {
    return this.#gaveUp;
  }

  get held(): readonly Held[] {
    return this.#held;
  }

  add(held: Held): void {
    this.#held.push(held);
    held.batch = this;
  }

  /** Resolves when the record is in the ledger, with what it was refused for; rejects later than `deadline` (monotonic). */
  durable(deadline: number): Promise<Refused> {
    this.#deadline = Math.min(this.#deadline, deadline);
    return (this.#durable ??= this.#promise());
  }

  /** The record is in the ledger, or will never be. */
  end(isRefused: (held: Held) => boolean): void {
    let refused: Set<Lease> | undefined;
    for (const held of this.#held) {
      held.isOver = true;
      if (!isRefused(held)) continue;
      held.lost = true;
      (refused ??= new Set()).add(held);
    }
    this.#held.length = 0;
    this.#resolve?.(refused);
    // Who comes later, from writing a dead letter say, is told as well.
    this.#durable ??= Promise.resolve(refused);
  }

  /** The record goes on being tried; who waits for it longer than they wanted is told. */
  stopWaiting(now: number, error: () => Error): void {
    if (this.#deadline > now) return;
    const reject = this.#reject;
    this.#gaveUp = true;
    this.#durable = this.#resolve = this.#reject = undefined;
    this.#deadline = Number.POSITIVE_INFINITY;
    reject?.(error());
  }

  #promise(): Promise<Refused> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }
}
