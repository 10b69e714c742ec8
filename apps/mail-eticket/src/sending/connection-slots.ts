/** Mails sent without a refusal before one more connection is tried. */
const SENDS_BEFORE_ONE_MORE = 50;

/**
 * How many connections a relay lets us hold. It starts at the setting; a relay that turns a connection away at its
 * greeting (421, "too many") lowers it, success raises it again.
 */
export class ConnectionSlots {
  #limit: number;
  #inUse = 0;
  #sendsInARow = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(private readonly most: number) {
    this.#limit = most;
  }

  get limit(): number {
    return this.#limit;
  }

  /** Resolves with the function that gives the slot back. @throws the signal's reason when it aborts first. */
  async acquire(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    while (this.#inUse >= this.#limit) await this.#turn(signal);
    this.#inUse += 1;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#inUse -= 1;
      this.#wake();
    };
  }

  /** The relay turned the caller's connection away. Returns whether others are open, so that waiting for one makes sense. */
  turnedAway(): boolean {
    this.#sendsInARow = 0;
    this.#limit = Math.max(1, Math.min(this.#limit, this.#inUse - 1));
    return this.#inUse > 1;
  }

  sent(): void {
    this.#sendsInARow += 1;
    if (this.#limit >= this.most || this.#sendsInARow < SENDS_BEFORE_ONE_MORE) return;
    this.#sendsInARow = 0;
    this.#limit += 1;
    this.#wake();
  }

  #wake(): void {
    this.#waiting.shift()?.();
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const woken = (): void => {
        signal.removeEventListener('abort', aborted);
        resolve();
      };
      const aborted = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(woken), 1);
        reject(signal.reason as Error);
      };
      this.#waiting.push(woken);
      signal.addEventListener('abort', aborted, { once: true });
    });
  }
}
