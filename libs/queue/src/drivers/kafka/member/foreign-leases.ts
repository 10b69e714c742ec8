/** Which offsets of a partition other workers hold. */
export class ForeignLeases {
  readonly #holders = new Map<number, string>();

  get isEmpty(): boolean {
    return this.#holders.size === 0;
  }

  holders(): ReadonlySet<string> {
    return new Set(this.#holders.values());
  }

  /** @param holder of these neighbours from here on; undefined for this worker or nobody */
  note(from: number, to: number, holder: string | undefined): void {
    if (holder === undefined && this.isEmpty) return;
    for (let offset = from; offset <= to; offset++) {
      if (holder === undefined) this.#holders.delete(offset);
      else this.#holders.set(offset, holder);
    }
  }
}
