import { setTimeout as delay } from 'node:timers/promises';

/** Resolves after `ms`; @throws an AbortError at once when `signal` aborts. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return delay(ms, undefined, signal && { signal });
}

/** Resolves with whether `work` ended well within `ms`. */
export async function endsWellWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const late = new AbortController();
  const result = await Promise.race([
    work.then(
      () => true,
      () => false,
    ),
    delay(ms, false, { signal: late.signal }),
  ]);
  late.abort();
  return result;
}
