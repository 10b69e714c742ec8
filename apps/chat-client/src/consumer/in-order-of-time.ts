interface Timed {
  readonly publishedAt: Date;
}

/** What was there before comes without a pause of this length. */
const QUIET_MS = 300;
/** In a room that never pauses the past is over after this. */
const MOST_MS = 5_000;

/**
 * Gives what was said before the start in the order of time. A topic keeps its order within a partition only, so that
 * a conversation read from the past would else come person by person. From then on everything is given as it comes.
 */
export class InOrderOfTime<T extends Timed> {
  readonly #past: T[] = [];
  readonly #startedAt = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #tellPresent!: () => void;
  readonly #present = new Promise<void>((resolve) => {
    this.#tellPresent = resolve;
  });

  constructor(
    /** Whether there is no past to wait for. */
    private isPresent: boolean,
    private readonly give: (message: T) => void,
  ) {
    if (isPresent) this.#tellPresent();
  }

  /** Reading has begun. Resolves when the past has been given; there may be none at all. */
  begin(): Promise<void> {
    if (!this.isPresent) this.#waitForMore();
    return this.#present;
  }

  add(message: T): void {
    if (this.isPresent) return this.give(message);
    this.#past.push(message);
    if (performance.now() - this.#startedAt > MOST_MS) this.#givePast();
    else this.#waitForMore();
  }

  #waitForMore(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#givePast(), QUIET_MS);
  }

  #givePast(): void {
    clearTimeout(this.#timer);
    this.isPresent = true;
    // Sorting is stable: messages of one moment, and so those of one user, stay as they came.
    const inOrder = this.#past.splice(0).sort((one, other) => one.publishedAt.getTime() - other.publishedAt.getTime());
    for (const message of inOrder) this.give(message);
    this.#tellPresent();
  }
}
