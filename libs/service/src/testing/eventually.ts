import { setTimeout as delay } from 'node:timers/promises';

export interface EventuallyOptions {
  /** 10,000 when left out. */
  readonly deadlineMs?: number;
  /** 25 when left out. */
  readonly everyMs?: number;
}

/**
 * Calls `condition` until it neither throws nor gives `false`, and resolves with what it gave.
 * @throws an error with the last reason when that has not happened within the deadline.
 */
export async function eventually<T>(
  condition: () => T | Promise<T>,
  { deadlineMs = 10_000, everyMs = 25 }: EventuallyOptions = {},
): Promise<Exclude<Awaited<T>, false>> {
  const end = performance.now() + deadlineMs;
  let last: unknown;
  do {
    try {
      const result = await condition();
      if (result !== false) return result as Exclude<Awaited<T>, false>;
      last = 'the condition was false';
    } catch (error) {
      last = error;
    }
    await delay(everyMs);
  } while (performance.now() < end);
  const reason = last instanceof Error ? last.message : String(last);
  throw new Error(`not within ${deadlineMs} ms: ${reason}`, { cause: last });
}
