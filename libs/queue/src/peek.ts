import { InvalidOptionError } from './errors.js';
import type { Message } from './message.js';
import type { QueueDriver } from './queue-driver.js';

const MOST = 10_000;
const BYTES_AT_ONCE = 16 * 1024 * 1024;
const CLOSE_DEADLINE_MS = 2_000;

/** Reads the newest messages with a reader that ends with them. */
export async function peek(
  driver: QueueDriver,
  queue: string,
  { last, signal = new AbortController().signal }: { readonly last: number; readonly signal?: AbortSignal },
): Promise<readonly Message[]> {
  if (!Number.isInteger(last) || last < 1 || last > MOST) {
    throw new InvalidOptionError(`last is ${last}: use a whole number from 1 to ${MOST}.`);
  }
  const reader = await driver.openEphemeral({ queue, from: { last } });
  try {
    const found: Message[] = [];
    while (found.length < last && !signal.aborted) {
      const some = await reader.take({ messages: last - found.length, bytes: BYTES_AT_ONCE }, signal);
      // A take that waited and found nothing: there are fewer.
      if (some.length === 0) break;
      found.push(...some);
    }
    // Partitions of a broker come in turns.
    return found.sort((a, b) => a.publishedAt.getTime() - b.publishedAt.getTime());
  } finally {
    await reader.close(CLOSE_DEADLINE_MS);
  }
}
