/** One thing waiting to be done, and whom to tell. */
interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Does things one batch at a time: what comes in one turn of the event loop, or while a batch is on its way, goes
 * together. A lone one hardly waits, and of many the database takes a few statements instead of one each.
 */
export class Gatherer<Item, Result> {
  #waiting: Waiting<Item, Result>[] = [];
  #isRunning = false;

  /** @param work resolves with the results in the order of its items, or rejects for all of them */
  constructor(
    private readonly work: (batch: readonly Item[]) => Promise<readonly Result[]>,
    private readonly most = 100,
  ) {}

  /** Resolves with the item's own result. @throws what its batch failed with. */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (this.#isRunning) return;
      this.#isRunning = true;
      setImmediate(() => void this.#runAll());
    });
  }

  async #runAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.most);
      try {
        const results = await this.work(batch.map(({ item }) => item));
        batch.forEach(({ resolve }, index) => resolve(results[index] as Result));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#isRunning = false;
  }
}
