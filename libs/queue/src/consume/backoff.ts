/** Exponential backoff with full jitter: AWS Architecture Blog, "Exponential Backoff And Jitter" (2015). */
export interface Backoff {
  /** Upper bound of the first delay. */
  readonly baseMs: number;
  /** Upper bound of every delay. */
  readonly maxMs: number;
}

/**
 * Delay after the `deliveryCount`-th delivery failed: uniform in [0, min(maxMs, baseMs · 2^(deliveryCount − 1))], so
 * that many messages that failed together do not come back together.
 */
export function backoffDelay(backoff: Backoff, deliveryCount: number, random: () => number = Math.random): number {
  return Math.round(random() * ceiling(backoff, deliveryCount));
}

/** As {@link backoffDelay}, but at least half the ceiling: for asking a store that is away again. */
export function reconnectDelay(backoff: Backoff, attempt: number, random: () => number = Math.random): number {
  return Math.round((0.5 + random() / 2) * ceiling(backoff, attempt));
}

function ceiling({ baseMs, maxMs }: Backoff, attempt: number): number {
  return Math.min(maxMs, baseMs * 2 ** Math.min(attempt - 1, 40));
}
