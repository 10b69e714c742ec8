/** Something to be written, and whom to tell. */
interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Gathers single settlements into few statements: the first waits `gatherMs`, what comes meanwhile or while a statement
 * runs goes with the next, at most `maxBatch` at once. Each caller gets its own item's result.
 */
export class SettlementGatherer<Item, Result> {
  #waiting: Waiting<Item, Result>[] = [];
  #busy = false;

  constructor(
    private readonly gatherMs: number,
    private readonly maxBatch: number,
    /** Results in the order of the items. */
    private readonly write: (items: readonly Item[]) => Promise<readonly Result[]>,
  ) {}

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (!this.#busy) {
        this.#busy = true;
        setTimeout(() => void this.#flush(), this.gatherMs);
      }
    });
  }

  async #flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.maxBatch);
      try {
        const results = await this.write(batch.map(({ item }) => item));
        batch.forEach(({ resolve }, index) => resolve(results[index]!));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#busy = false;
  }
}
