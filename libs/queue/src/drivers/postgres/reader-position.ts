/** Messages this far behind the highest seq are looked at again by a new group, for those that committed late. */
const LOOK_BACK = 1_000;

/** How far a reader has got: kept by itself, so that it can go on with another group. */
export class ReaderPosition {
  /** The last seqs that were given, in order of giving. */
  readonly #recent = new Set<string>();
  #highest = 0n;

  /** Nothing at or before `floor` is this reader's. */
  constructor(public floor = 0n) {}

  /** Whether this seq was not given yet; now it is. */
  isNew(seq: string): boolean {
    if (this.#recent.has(seq)) return false;
    this.#recent.add(seq);
    if (BigInt(seq) > this.#highest) this.#highest = BigInt(seq);
    if (this.#recent.size > LOOK_BACK) this.#recent.delete(this.#recent.values().next().value!);
    return true;
  }

  /** The seq behind which a new group of this reader begins. */
  lookBackTo(): bigint {
    const behind = this.#highest - BigInt(LOOK_BACK);
    return behind > this.floor ? behind : this.floor;
  }
}
