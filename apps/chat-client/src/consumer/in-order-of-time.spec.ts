import { eventually } from '@eticket/service/testing';
import { InOrderOfTime } from './in-order-of-time.js';

const at = (ms: number, text: string) => ({ publishedAt: new Date(ms), text });

describe('the past of a room', () => {
  it('is given in the order of time, one moment in the order of coming; then all as it comes', async () => {
    const given: string[] = [];
    const inOrder = new InOrderOfTime<ReturnType<typeof at>>(false, ({ text }) => void given.push(text));
    const begun = inOrder.begin();
    for (const message of [at(3, 'c1'), at(5, 'e'), at(1, 'a'), at(3, 'c2'), at(2, 'b')]) inOrder.add(message);
    expect(given).toEqual([]);
    await begun;
    inOrder.add(at(4, 'late'));
    expect(given).toEqual(['a', 'b', 'c1', 'c2', 'e', 'late']);
  });

  it('ends by itself where there is none', async () => {
    const given: string[] = [];
    const inOrder = new InOrderOfTime<ReturnType<typeof at>>(false, ({ text }) => void given.push(text));
    await inOrder.begin();
    inOrder.add(at(1, 'a'));
    await eventually(() => given.length === 1);
  });
});
