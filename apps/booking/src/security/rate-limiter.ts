/** So many at once, and so many a minute in the long run. */
export interface Rate {
  readonly burst: number;
  readonly perMinute: number;
}

/** Keys remembered: about 2 MB. The one used longest ago is forgotten first, which forgives it. */
const KEYS = 20_000;

/**
 * Says of each key whether it may go on (generic cell rate algorithm: one number a key, no timers). In memory: each node
 * counts for itself. `@fastify/rate-limit` counts a route's requests by address; this one counts by booking, by
 * reference and by address, and gives back what was taken for a right answer.
 */
export class RateLimiter {
  /** When each key will have its whole burst again, in ms since 1970. */
  private readonly fullAt = new Map<string, number>();
  private readonly intervalMs: number;

  constructor(private readonly rate: Rate) {
    this.intervalMs = 60_000 / rate.perMinute;
  }

  /** Takes one: 0, or how long to wait, in ms; nothing is taken then. */
  take(key: string, now: number): number {
    const burstMs = this.intervalMs * this.rate.burst;
    // Never further away than the whole burst: a clock that was put back must not lock anybody out.
    const fullAt = Math.min(Math.max(now, this.fullAt.get(key) ?? 0), now + burstMs);
    const waitMs = fullAt - now - (burstMs - this.intervalMs);
    if (waitMs > 0) return waitMs;
    this.remember(key, fullAt + this.intervalMs);
    return 0;
  }

  giveBack(key: string): void {
    const fullAt = this.fullAt.get(key);
    if (fullAt !== undefined) this.fullAt.set(key, fullAt - this.intervalMs);
  }

  get size(): number {
    return this.fullAt.size;
  }

  private remember(key: string, fullAt: number): void {
    this.fullAt.delete(key);
    this.fullAt.set(key, fullAt);
    const [oldest] = this.fullAt.keys();
    if (this.fullAt.size > KEYS && oldest !== undefined) this.fullAt.delete(oldest);
  }
}
