/** Numbers with a payload, smallest first. */
export class DueHeap {
  readonly #items: { readonly due: number; readonly offset: number }[] = [];

  get size(): number {
    return this.#items.length;
  }

  peek(): { readonly due: number; readonly offset: number } | undefined {
    return this.#items[0];
  }

  push(due: number, offset: number): void {
    const items = this.#items;
    let at = items.push({ due, offset }) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(items[at]!, items[parent]!)) return;
      [items[at], items[parent]] = [items[parent]!, items[at]!];
      at = parent;
    }
  }

  pop(): { readonly due: number; readonly offset: number } | undefined {
    const items = this.#items;
    const top = items[0];
    const last = items.pop();
    if (!top || items.length === 0) return top;
    items[0] = last!;
    for (let at = 0; ;) {
      const left = 2 * at + 1;
      if (left >= items.length) return top;
      const right = left + 1;
      const child = right < items.length && isBefore(items[right]!, items[left]!) ? right : left;
      if (!isBefore(items[child]!, items[at]!)) return top;
      [items[at], items[child]] = [items[child]!, items[at]!];
      at = child;
    }
  }
}

/** Of those due at the same time, the oldest first. */
function isBefore(
  a: { readonly due: number; readonly offset: number },
  b: { readonly due: number; readonly offset: number },
): boolean {
  return a.due < b.due || (a.due === b.due && a.offset < b.offset);
}
