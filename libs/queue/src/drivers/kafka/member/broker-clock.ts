/**
 * The broker's clock, as told by the times of appends. Delays and counts of a group are timed by it, so that they agree
 * between workers whose clocks do not. Without an append yet it is this process's clock.
 */
export class BrokerClock {
  #ahead = 0;
  #roundTripMs = 0;

  /** An append sent and answered at these local times was written at `appendedAt`. */
  heard(sentAt: number, answeredAt: number, appendedAt: number): void {
    // The truth lies within the round trip: move only as far as this answer proves.
    this.#ahead = Math.min(Math.max(this.#ahead, appendedAt - answeredAt), appendedAt - sentAt);
    const took = answeredAt - sentAt;
    this.#roundTripMs = this.#roundTripMs === 0 ? took : 0.8 * this.#roundTripMs + 0.2 * took;
  }

  now(): number {
    return Math.round(Date.now() + this.#ahead);
  }

  /** Milliseconds from the broker's time to now; negative when it has passed. */
  until(time: number): number {
    return time - this.now();
  }

  get roundTripMs(): number {
    return this.#roundTripMs;
  }
}
