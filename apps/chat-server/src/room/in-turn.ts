/** Runs work of one key one after the other, in the order of asking; keys don't wait for each other. */
export class InTurn {
  readonly #last = new Map<string, Promise<void>>();

  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const mine = (this.#last.get(key) ?? Promise.resolve()).then(work);
    const ended = mine.then(
      () => undefined,
      () => undefined,
    );
    this.#last.set(key, ended);
    void ended.then(() => {
      if (this.#last.get(key) === ended) this.#last.delete(key);
    });
    return mine;
  }
}
