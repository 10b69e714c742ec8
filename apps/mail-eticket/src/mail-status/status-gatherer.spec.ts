import { StatusGatherer } from './status-gatherer.js';

/** A publish that ends when the test says so. */
class Publishing {
  readonly batches: (readonly string[])[] = [];
  readonly #ends: ((error?: Error) => void)[] = [];

  readonly publish = (batch: readonly string[]): Promise<void> => {
    this.batches.push(batch);
    return new Promise((resolve, reject) => this.#ends.push((error) => (error ? reject(error) : resolve())));
  };

  async end(error?: Error): Promise<void> {
    this.#ends.shift()?.(error);
    // Promises that follow from it come first.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('Statuses that are gathered', () => {
  it('go at once when they come alone', async () => {
    const publishing = new Publishing();
    const gatherer = new StatusGatherer(publishing.publish);
    const added = gatherer.add('a');
    expect(publishing.batches).toEqual([['a']]);
    await publishing.end();
    await added;
  });

  it('go together, in their order, when they come while others are on their way', async () => {
    const publishing = new Publishing();
    const gatherer = new StatusGatherer(publishing.publish, 3);
    const all = Promise.all(['a', 'b', 'c', 'd', 'e'].map((item) => gatherer.add(item)));
    await publishing.end();
    await publishing.end();
    await publishing.end();
    await all;
    expect(publishing.batches).toEqual([['a'], ['b', 'c', 'd'], ['e']]);
  });

  it('are not done before their own batch is, and fail with it alone', async () => {
    const publishing = new Publishing();
    const gatherer = new StatusGatherer(publishing.publish);
    const ended: string[] = [];
    const add = (item: string) =>
      gatherer.add(item).then(
        () => ended.push(item),
        (error: Error) => ended.push(`${item}: ${error.message}`),
      );
    const all = [add('a'), add('b')];
    await publishing.end();
    expect(ended).toEqual(['a']);
    await publishing.end(new Error('away'));
    expect(ended).toEqual(['a', 'b: away']);
    all.push(add('c'));
    await publishing.end();
    await Promise.all(all);
    expect(ended).toEqual(['a', 'b: away', 'c']);
  });
});
