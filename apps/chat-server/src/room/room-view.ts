import { readRoomEvent } from '@eticket/chat-room';
import type { Logger } from '@eticket/service';
import { readJson } from 'ackline';
import type { Ackline, Message, TailConsumer } from 'ackline';
import { Roster } from './roster.js';
import { RoomUnavailableError } from './publisher.js';

/** Reading from the beginning has come to the present when nothing more came for this long. */
const QUIET_MS = 500;
const LOOK_MS = 50;

// #region room-view
/**
 * The server's own reader of the room. It reads from the beginning at every start, so that neither a restart nor
 * kill -9 sends anybody out, and it keeps nothing elsewhere.
 */
export class RoomView {
  readonly roster = new Roster();
  readonly #waiting = new Map<string, () => void>();
  readonly #tail: TailConsumer;
  #lastMessageAt = performance.now();
  #caughtUp = false;

  constructor(
    ackline: Ackline,
    topic: string,
    private readonly logger: Logger,
  ) {
    this.#tail = ackline.tail({ queue: topic, from: 'beginning' }, (message) => this.#read(message));
  }

  /** Why people cannot be answered now; undefined when they can. */
  trouble(): string | undefined {
    const status = this.#tail.status();
    if ('why' in status) return `the room cannot be read: ${status.why}`;
    return this.#hasCaughtUp() ? undefined : 'the room is being read from its beginning';
  }

  /** Resolves when everything that was on the topic at the start has been read. @throws RoomUnavailableError */
  async caughtUp(deadlineMs: number): Promise<void> {
    const deadline = performance.now() + deadlineMs;
    while (!this.#hasCaughtUp()) {
      if (performance.now() > deadline) throw new RoomUnavailableError(this.trouble() ?? 'the room cannot be read');
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  /**
   * Watches for one message; call before it is published. `seen` resolves when the roster knows of it.
   */
  expect(id: string): { seen(deadlineMs: number): Promise<void>; forget(): void } {
    const forget = (): void => void this.#waiting.delete(id);
    const arrived = new Promise<void>((resolve) => this.#waiting.set(id, resolve));
    return { forget, seen: (deadlineMs) => before(arrived, deadlineMs).finally(forget) };
  }

  #read(message: Message): void {
    this.#lastMessageAt = performance.now();
    try {
      const event = readRoomEvent(readJson(message));
      if (event) this.roster.apply(event, message.publishedAt);
    } catch {
      this.logger.warn({ origin: message.origin }, 'a message on the room’s topic is not JSON and is passed over');
    }
    this.#waiting.get(message.id)?.();
  }
  // #endregion

  #hasCaughtUp(): boolean {
    const reading = this.#tail.status().state === 'reading';
    this.#caughtUp ||= reading && performance.now() - this.#lastMessageAt > QUIET_MS;
    return this.#caughtUp;
  }
}

async function before(work: Promise<void>, deadlineMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new RoomUnavailableError('the room was written but could not be read in time');
    timer = setTimeout(() => reject(error), deadlineMs);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
