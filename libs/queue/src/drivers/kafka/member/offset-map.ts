const PAGE = 256;

interface Page<T> {
  readonly slots: (T | undefined)[];
  used: number;
}

/**
 * A map from offsets, which come and go in very large numbers and lie close together. A `Map` copies itself into a new
 * table every few thousand changes, and V8 keeps what the old table held, with all that it leads to, until the next full
 * collection: of very many short-lived values most then live long. Here a value that is deleted is gone.
 */
export class OffsetMap<T> {
  readonly #pages = new Map<number, Page<T>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(offset: number): T | undefined {
    return this.#pages.get(Math.floor(offset / PAGE))?.slots[offset % PAGE];
  }

  set(offset: number, value: T): void {
    const number = Math.floor(offset / PAGE);
    let page = this.#pages.get(number);
    if (!page) this.#pages.set(number, (page = { slots: new Array<T | undefined>(PAGE).fill(undefined), used: 0 }));
    if (page.slots[offset % PAGE] === undefined) {
      page.used++;
      this.#size++;
    }
    page.slots[offset % PAGE] = value;
  }

  delete(offset: number): void {
    const number = Math.floor(offset / PAGE);
    const page = this.#pages.get(number);
    if (page?.slots[offset % PAGE] === undefined) return;
    page.slots[offset % PAGE] = undefined;
    page.used--;
    this.#size--;
    if (page.used === 0) this.#pages.delete(number);
  }

  *values(): Generator<T> {
    for (const { slots } of this.#pages.values()) {
      for (const value of slots) if (value !== undefined) yield value;
    }
  }
}
