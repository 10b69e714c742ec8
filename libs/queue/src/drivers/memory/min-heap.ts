/** Items in the order of `before`, smallest first; push and pop cost O(log n). */
export class MinHeap<T> {
  private readonly items: T[] = [];

  constructor(private readonly before: (a: T, b: T) => boolean) {}

  get size(): number {
    return this.items.length;
  }

  peek(): T | undefined {
    return this.items[0];
  }

  push(item: T): void {
    let index = this.items.push(item) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.before(item, this.at(parent))) break;
      this.items[index] = this.at(parent);
      index = parent;
    }
    this.items[index] = item;
  }

  pop(): T | undefined {
    const top = this.items[0];
    const last = this.items.pop();
    if (last === undefined || this.items.length === 0) return top;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= this.items.length) break;
      if (child + 1 < this.items.length && this.before(this.at(child + 1), this.at(child))) child += 1;
      if (!this.before(this.at(child), last)) break;
      this.items[index] = this.at(child);
      index = child;
    }
    this.items[index] = last;
    return top;
  }

  private at(index: number): T {
    return this.items[index] as T;
  }
}
