const STUCK_AFTER_MS = 1_000;
const LOOK_EVERY_MS = 200;
/** Between two changes of mind: each costs the group a rebalance. */
const STEADY_MS = 3_000;

/**
 * Whether a worker sits on messages that it cannot take: all its handlers wait. It says so to the group, which then
 * gives its partitions to workers that can (as far as there are any), so that one slow worker does not hold up what
 * stands in its partitions.
 */
export class StuckWatch {
  #stuck = false;
  #movedAt = performance.now();
  #changedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param isAsking whether the worker asks for messages right now
   * @param hasBacklog whether it has some that nobody handles
   */
  constructor(
    private readonly isAsking: () => boolean,
    private readonly hasBacklog: () => boolean,
    private readonly onChange: () => void,
  ) {}

  get isStuck(): boolean {
    return this.#stuck;
  }

  start(): void {
    this.#movedAt = performance.now();
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Messages were given to the engine. */
  moved(): void {
    this.#movedAt = performance.now();
  }

  #look(): void {
    if (this.isAsking()) this.moved();
    const now = performance.now();
    const idleMs = now - this.#movedAt;
    const isStuck = this.#stuck ? idleMs > LOOK_EVERY_MS : idleMs > STUCK_AFTER_MS && this.hasBacklog();
    if (isStuck === this.#stuck || now - this.#changedAt < STEADY_MS) return;
    this.#stuck = isStuck;
    this.#changedAt = now;
    this.onChange();
  }
}
