/** One thing waiting to be published, and whom to tell. */
interface Waiting<T> {
  readonly item: T;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Publishes things one batch at a time: what comes while a batch is on its way waits and goes with the next. A lone one
 * goes at once, and of many the database commits a few batches instead of each alone.
 */
export class StatusGatherer<T> {
  #waiting: Waiting<T>[] = [];
  #isPublishing = false;

  /** @param publish resolves when all of the batch is durable, in this order; else none of it counts */
  constructor(
    private readonly publish: (batch: readonly T[]) => Promise<unknown>,
    private readonly most = 100,
  ) {}

  /** Resolves when the item is durable. @throws what its batch failed with. */
  add(item: T): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (!this.#isPublishing) void this.#publishAll();
    });
  }

  async #publishAll(): Promise<void> {
    this.#isPublishing = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.most);
      try {
        await this.publish(batch.map(({ item }) => item));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#isPublishing = false;
  }
}
