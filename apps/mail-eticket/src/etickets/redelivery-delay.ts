/** How deliveries of one mail are spread. */
export interface RedeliverySettings {
  readonly baseMs: number;
  readonly maxMs: number;
}

/**
 * Milliseconds until the next delivery: four times the one before, at least half of it at random, so that mails that
 * failed together do not come back together. By default 2 s, 8 s, 32 s, 2 min, 9 min, 34 min, 2.3 h, then every 4 h:
 * two tries in the first minute, and two days of them in all (RFC 5321 §4.5.4.1 asks of senders for days).
 */
export function redeliveryDelay(
  { baseMs, maxMs }: RedeliverySettings,
  deliveryCount: number,
  random: () => number = Math.random,
): number {
  const ceiling = Math.min(maxMs, baseMs * 4 ** Math.min(deliveryCount - 1, 20));
  return Math.round(ceiling * (0.5 + random() / 2));
}
