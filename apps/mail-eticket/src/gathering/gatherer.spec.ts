import { eventually } from '@eticket/service/testing';
import { Gatherer } from './gatherer.js';

/** Work that ends when the test says so; its result is the item in capitals. */
class Work {
  readonly batches: (readonly string[])[] = [];
  readonly #ends: ((error?: Error) => void)[] = [];
  readonly run = (batch: readonly string[]): Promise<readonly string[]> => {
    this.batches.push(batch);
    const results = batch.map((item) => item.toUpperCase());
    return new Promise((resolve, reject) => this.#ends.push((error) => (error ? reject(error) : resolve(results))));
  };
  async begun(count: number): Promise<void> {
    await eventually(() => this.batches.length === count);
  }
  end(error?: Error): void {
    this.#ends.shift()?.(error);
  }
}

describe('Things that are gathered', () => {
  it('go together when they come in one turn, each with its own result', async () => {
    const work = new Work();
    const gatherer = new Gatherer(work.run);
    const all = Promise.all([gatherer.add('a'), gatherer.add('b')]);
    await work.begun(1);
    expect(work.batches).toEqual([['a', 'b']]);
    work.end();
    expect(await all).toEqual(['A', 'B']);
  });

  it('go together, in their order, when they come while others are on their way', async () => {
    const work = new Work();
    const gatherer = new Gatherer(work.run, 3);
    const first = gatherer.add('a');
    await work.begun(1);
    const others = Promise.all(['b', 'c', 'd', 'e'].map((item) => gatherer.add(item)));
    work.end();
    await work.begun(2);
    work.end();
    await work.begun(3);
    work.end();
    expect([await first, ...(await others)]).toEqual(['A', 'B', 'C', 'D', 'E']);
    expect(work.batches).toEqual([['a'], ['b', 'c', 'd'], ['e']]);
  });

  it('are not done before their own batch is, and fail with it alone', async () => {
    const work = new Work();
    const gatherer = new Gatherer(work.run);
    const ended: string[] = [];
    const add = (item: string) =>
      gatherer.add(item).then(
        () => ended.push(item),
        (error: Error) => ended.push(`${item}: ${error.message}`),
      );
    const a = add('a');
    await work.begun(1);
    const b = add('b');
    work.end();
    await a;
    expect(ended).toEqual(['a']);
    await work.begun(2);
    work.end(new Error('away'));
    await b;
    expect(ended).toEqual(['a', 'b: away']);
    const c = add('c');
    await work.begun(3);
    work.end();
    await c;
    expect(ended).toEqual(['a', 'b: away', 'c']);
  });
});
