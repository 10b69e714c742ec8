/** Offsets `from` to `to`, both included. */
export type Range = readonly [from: number, to: number];

/** Ascending offsets as ranges. */
export function toRanges(ascending: readonly number[]): Range[] {
  const ranges: [number, number][] = [];
  for (const offset of ascending) {
    const last = ranges.at(-1);
    if (last && offset === last[1] + 1) last[1] = offset;
    else ranges.push([offset, offset]);
  }
  return ranges;
}

/** Ascending ranges, those that are neighbours as one. */
export function mergedRanges(ascending: readonly Range[]): Range[] {
  const merged: [number, number][] = [];
  for (const [from, to] of ascending) {
    const last = merged.at(-1);
    if (last && from === last[1] + 1) last[1] = to;
    else merged.push([from, to]);
  }
  return merged;
}

/** Every offset in the ranges. */
export function* eachOffset(ranges: readonly Range[]): Generator<number> {
  for (const [from, to] of ranges) {
    for (let offset = from; offset <= to; offset++) yield offset;
  }
}

/**
 * A set of offsets in which neighbours merge, with everything below a floor in it. Costs what the gaps cost: one number
 * pair for each stretch, not one entry for each offset.
 */
export class OffsetSet {
  /** Ascending, disjoint, not adjacent, all above the floor. */
  #ranges: [number, number][] = [];

  constructor(
    private low: number,
    ranges: readonly Range[] = [],
  ) {
    for (const range of ranges) this.add(range[0], range[1]);
  }

  /** The lowest offset that is not in the set. */
  get floor(): number {
    return this.low;
  }

  get ranges(): readonly Range[] {
    return this.#ranges;
  }

  has(offset: number): boolean {
    if (offset < this.low) return true;
    const range = this.#ranges[this.#firstEndingAtOrAfter(offset)];
    return range !== undefined && range[0] <= offset;
  }

  add(from: number, to = from): void {
    const start = Math.max(from, this.low);
    if (to < start) return;
    const first = this.#firstEndingAtOrAfter(start - 1);
    let last = first;
    const merged: [number, number] = [start, to];
    for (let range = this.#ranges[last]; range && range[0] <= to + 1; range = this.#ranges[++last]) {
      merged[0] = Math.min(merged[0], range[0]);
      merged[1] = Math.max(merged[1], range[1]);
    }
    if (merged[0] > this.low) {
      this.#ranges.splice(first, last - first, merged);
    } else {
      this.low = merged[1] + 1;
      this.#ranges.splice(first, last - first);
    }
  }

  /** The lowest offset at or after `offset` that is not in the set. */
  nextAbsent(offset: number): number {
    const at = Math.max(offset, this.low);
    const range = this.#ranges[this.#firstEndingAtOrAfter(at)];
    return range && range[0] <= at ? range[1] + 1 : at;
  }

  /** The lowest offset at or after `offset` that is in the set; infinite for none. */
  nextPresent(offset: number): number {
    if (offset < this.low) return offset;
    const range = this.#ranges[this.#firstEndingAtOrAfter(offset)];
    return range ? Math.max(range[0], offset) : Number.POSITIVE_INFINITY;
  }

  /** How many offsets from the floor up to and without `end` are in the set. */
  countBelow(end: number): number {
    let count = 0;
    for (const [from, to] of this.#ranges) {
      if (from >= end) break;
      count += Math.min(to, end - 1) - from + 1;
    }
    return count;
  }

  #firstEndingAtOrAfter(offset: number): number {
    let low = 0;
    let high = this.#ranges.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#ranges[middle]![1] < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
