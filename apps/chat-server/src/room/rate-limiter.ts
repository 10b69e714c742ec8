export interface Rate {
  /** In the long run. */
  readonly perSecond: number;
  /** At once, after a pause. */
  readonly burst: number;
}

interface Bucket {
  tokens: number;
  at: number;
}

/** Full buckets are forgotten when there are more than this. */
const SWEEP_ABOVE = 1_000;

/** A token bucket for each key. */
export class RateLimiter {
  readonly #buckets = new Map<string, Bucket>();

  constructor(
    private readonly rate: Rate,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Takes one; gives 0, or the milliseconds until there will be one. */
  take(key: string): number {
    const bucket = this.#filled(key);
    if (bucket.tokens < 1) return Math.ceil(((1 - bucket.tokens) / this.rate.perSecond) * 1_000);
    bucket.tokens -= 1;
    return 0;
  }

  #filled(key: string): Bucket {
    const now = this.now();
    const known = this.#buckets.get(key);
    if (known) {
      known.tokens = this.#tokensOf(known, now);
      known.at = now;
      return known;
    }
    if (this.#buckets.size >= SWEEP_ABOVE) this.#sweep(now);
    const bucket = { tokens: this.rate.burst, at: now };
    this.#buckets.set(key, bucket);
    return bucket;
  }

  #tokensOf({ tokens, at }: Bucket, now: number): number {
    return Math.min(this.rate.burst, tokens + ((now - at) / 1_000) * this.rate.perSecond);
  }

  #sweep(now: number): void {
    for (const [key, bucket] of this.#buckets) {
      if (this.#tokensOf(bucket, now) >= this.rate.burst) this.#buckets.delete(key);
    }
  }
}
