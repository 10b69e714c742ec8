/** Remembers the newest ids: a sender that does not know whether it was heard says the same again. */
export class OnceOnly {
  readonly #seen = new Set<string>();

  constructor(private readonly most: number) {}

  isNew(id: string): boolean {
    if (this.#seen.has(id)) return false;
    this.#seen.add(id);
    if (this.#seen.size > this.most) this.#seen.delete(this.#seen.values().next().value as string);
    return true;
  }
}
