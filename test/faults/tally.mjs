/** What was published, what was delivered, and what became of it. */
export class Tally {
  /** Message id to when it was durable. */
  published = new Map();
  /** Message id to its deliveries, in the order in which they were begun. */
  deliveries = new Map();
  /** Message id to when its settlement was durable. */
  settled = new Map();
  /** Deliveries beyond the first that were asked for: nacks. */
  planned = new Map();
  /** What was delivered and not yet settled when something was killed. */
  inFlight = new Set();
  errors = [];
  /** Published and not settled: asked for often, so it is kept. */
  #open = new Set();

  stored(id, at) {
    this.published.set(id, at);
    if (!this.settled.has(id)) this.#open.add(id);
  }

  withdraw(id) {
    this.published.delete(id);
    this.#open.delete(id);
  }

  settle(id) {
    this.settled.set(id, performance.now());
    this.#open.delete(id);
  }

  begun(id, worker, count) {
    const entry = { worker, count, at: performance.now() };
    const known = this.deliveries.get(id);
    if (known) known.push(entry);
    else this.deliveries.set(id, [entry]);
  }

  /** Settled, or told by nobody: the worker may have died between the settlement and its report. */
  isDone(id) {
    return this.settled.has(id) || (this.inFlight.has(id) && this.deliveries.has(id));
  }

  get open() {
    return [...this.#open].filter((id) => !this.isDone(id));
  }

  get handled() {
    return [...this.published.keys()].filter((id) => this.isDone(id)).length;
  }

  /** Ids delivered more often than was asked for. */
  get twice() {
    return [...this.deliveries]
      .filter(([id, begun]) => begun.length > 1 + (this.planned.get(id) ?? 0))
      .map(([id]) => id);
  }

  /** From `since` to each later delivery of these. */
  againAfter(since, ids = this.inFlight) {
    return [...ids].flatMap((id) => {
      const again = this.deliveries
        .get(id)
        ?.slice(1)
        .find(({ at }) => at > since);
      return again ? [again.at - since] : [];
    });
  }

  /** From durable to delivered, of what was published at `from` or later and before `to`. */
  waits(from = 0, to = Number.POSITIVE_INFINITY) {
    return [...this.published].flatMap(([id, at]) => {
      const first = this.deliveries.get(id)?.[0];
      return first && at >= from && at < to ? [Math.max(0, first.at - at)] : [];
    });
  }
}

/** 0 where there is none. */
export function p99(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * 0.99) - 1)] ?? 0);
}
