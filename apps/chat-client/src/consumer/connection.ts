import type { Ackline, TailConsumer } from 'ackline';
import type { ConsumerListener } from './consumer.js';

const LOOK_MS = 250;
/** Reading that goes well for so long goes on. */
const STEADY_MS = 1_000;

/** Tells the listener once when reading stops, and once when it goes on. */
export class Connection {
  #brokenSince: number | undefined;
  #steadySince: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(
    private readonly ackline: Ackline,
    private readonly tail: TailConsumer,
    private readonly listener: ConsumerListener,
  ) {}

  broke(error: unknown): void {
    this.#steadySince = undefined;
    if (this.#brokenSince !== undefined || this.#closed) return;
    this.#brokenSince = performance.now();
    this.listener.onInterrupted(error instanceof Error ? error.message : String(error));
    this.#timer = setTimeout(() => void this.#look(), LOOK_MS);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  async #look(): Promise<void> {
    const answers = await this.ackline.ping().then(
      () => true,
      () => false,
    );
    if (this.#closed) return;
    // The consumer counts as reading from the moment it tries: only when it stays so, it is.
    if (!answers || this.tail.status().state !== 'reading') this.#steadySince = undefined;
    else this.#steadySince ??= performance.now();
    if (this.#steadySince !== undefined && performance.now() - this.#steadySince >= STEADY_MS) {
      this.#brokenSince = undefined;
      this.#steadySince = undefined;
      return this.listener.onResumed();
    }
    this.#timer = setTimeout(() => void this.#look(), LOOK_MS);
  }
}
