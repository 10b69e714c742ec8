const WINDOW_MS = 100;

/** Messages a millisecond, over about the last half second. */
export class DeliveryRate {
  #perMs = 0;
  #count = 0;
  #since = performance.now();

  add(count: number): void {
    this.#count += count;
    const now = performance.now();
    const passed = now - this.#since;
    if (passed < WINDOW_MS) return;
    // A pause counts as slowness: what is leased ahead of need could be another worker's.
    const share = Math.min(1, passed / 500);
    this.#perMs = this.#perMs * (1 - share) + (this.#count / passed) * share;
    this.#count = 0;
    this.#since = now;
  }

  /** How many messages go in so many milliseconds. */
  within(ms: number): number {
    return this.#perMs * ms;
  }
}
