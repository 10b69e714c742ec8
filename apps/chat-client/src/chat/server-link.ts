import { RefusedError, ServerAwayError } from '../server/room-server.js';
import { pause } from './pause.js';

export interface LinkListener {
  onServerAway(why: string): void;
  onServerBack(): void;
}

const RETRY_MS = { first: 200, most: 2_000 };

// #region server-link
/** Asks the server until it answers, and tells once when it goes away and once when it is back. */
export class ServerLink {
  #away = false;

  constructor(private readonly listener: LinkListener) {}

  /** @throws RefusedError, where asking again would not help; an AbortError when `signal` aborts. */
  async untilAnswered<T>(ask: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.once(ask);
      } catch (error) {
        signal?.throwIfAborted();
        await pause(this.#waitAfter(error, attempt), signal);
      }
    }
  }

  /** One try. @throws ServerAwayError, RefusedError */
  async once<T>(ask: () => Promise<T>): Promise<T> {
    try {
      const answer = await ask();
      this.#answered();
      return answer;
    } catch (error) {
      if (error instanceof RefusedError) this.#answered();
      if (error instanceof ServerAwayError && !this.#away) {
        this.#away = true;
        this.listener.onServerAway(error.message);
      }
      throw error;
    }
  }
  // #endregion

  #answered(): void {
    if (!this.#away) return;
    this.#away = false;
    this.listener.onServerBack();
  }

  #waitAfter(error: unknown, attempt: number): number {
    if (error instanceof RefusedError && error.retryAfterMs !== undefined) return error.retryAfterMs;
    if (!(error instanceof ServerAwayError)) throw error;
    return error.retryAfterMs ?? Math.min(RETRY_MS.most, RETRY_MS.first * 2 ** Math.min(attempt, 10));
  }
}
