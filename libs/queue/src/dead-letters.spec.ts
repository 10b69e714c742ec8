import { Ackline, RejectError, jsonMessage } from 'ackline';
import type { DeadLetters, QueueEvent } from 'ackline';
import { MemoryStore } from 'ackline/memory';
import { VirtualClock, testQueue } from 'ackline/testing';
import type { TestQueue } from 'ackline/testing';

describe('Dead letters of a group', () => {
  const events: QueueEvent[] = [];
  let queue: TestQueue;
  let letters: DeadLetters;
  let mended: boolean;
  const handled: string[] = [];

  beforeEach(async () => {
    events.length = handled.length = 0;
    mended = false;
    queue = testQueue({ observer: (event) => events.push(event) });
    queue.ackline.consume({ queue: 'orders', group: 'shop', maxDeliveries: 1 }, ({ message }) => {
      if (!mended) throw new RejectError(message.key === 'k0' ? 'rare' : 'often');
      handled.push(message.id);
    });
    await queue.ackline.publish(
      'orders',
      Array.from({ length: 30 }, (_, n) => jsonMessage(n, { id: `m${n}`, key: `k${n % 3}` })),
    );
    await queue.drained();
    letters = queue.ackline.deadLetters('orders', 'shop');
  });

  afterEach(() => queue.close());

  it('are counted by error, the most frequent first, and by filter', async () => {
    expect(await letters.countByError()).toEqual([
      { errorCode: 'often', count: 20 },
      { errorCode: 'rare', count: 10 },
    ]);
    expect(await letters.count({ key: 'k1' })).toBe(10);
    expect(await letters.count({ key: 'k1', errorCode: 'rare' })).toBe(0);
  });

  it('come back at the rate asked for, measured from the start', async () => {
    mended = true;
    const progress: string[] = [];
    const redriven = letters.redrive(
      {},
      { actor: 'ana', ratePerSecond: 10, onProgress: (done, of) => progress.push(`${done}/${of}`) },
    );
    await queue.advance(950);
    expect(progress).toHaveLength(10);
    await queue.advance(1_000);
    expect(progress.at(-1)).toBe('20/30');
    await queue.advance(1_000);
    expect(await redriven).toBe(30);
    await queue.drained();
    expect(new Set(handled).size).toBe(30);
  });

  it('are left where an act is ended, and the same call goes on with them', async () => {
    mended = true;
    const end = new AbortController();
    const redriven = letters.redrive({}, { actor: 'ana', ratePerSecond: 10, signal: end.signal });
    await queue.advance(450);
    end.abort();
    expect(await redriven).toBe(5);
    expect(await letters.count()).toBe(25);
    expect(await letters.redrive({}, { actor: 'ana' })).toBe(25);
    await queue.drained();
    expect(handled).toHaveLength(30);
  });

  it('that die again during an act are not taken a second time', async () => {
    expect(await letters.redrive({}, { actor: 'ana' })).toBe(30);
    await queue.drained();
    expect(await letters.count()).toBe(30);
  });

  it('stay after a dry run, of which nothing is told and nothing recorded', async () => {
    events.length = 0;
    expect(await letters.discard({ errorCode: 'rare' }, { actor: 'ana', dryRun: true })).toBe(10);
    expect(await letters.count()).toBe(30);
    expect(await letters.acts()).toEqual([]);
    expect(events).toEqual([]);
  });

  it('have an audit of acts, and the observer hears of each', async () => {
    mended = true;
    await letters.discard({ errorCode: 'rare' }, { actor: 'ana' });
    await letters.redrive({ key: 'k1' }, { actor: 'ana' });
    await queue.advance(120_000);
    await letters.redrive({ ids: ['m2'] }, { actor: 'bo' });
    await letters.redrive({ ids: ['m5'] }, { actor: 'ana' });
    await queue.advance(120_000);
    await letters.redrive({}, { actor: 'ana' });
    const acts = await letters.acts();
    expect(acts.map(({ actor, action, count }) => `${actor} ${action} ${count}`)).toEqual([
      'ana redrive 8',
      'ana redrive 1',
      'bo redrive 1',
      'ana redrive 10',
      'ana discard 10',
    ]);
    expect(acts[0]!.from.getTime() - acts[4]!.to.getTime()).toBe(240_000);
    expect(await letters.acts(2)).toEqual(acts.slice(0, 2));
    const told = events.filter(({ type }) => type.startsWith('dead-letters-'));
    expect(told).toEqual([
      { type: 'dead-letters-discarded', queue: 'orders', group: 'shop', actor: 'ana', count: 10 },
      { type: 'dead-letters-redriven', queue: 'orders', group: 'shop', actor: 'ana', count: 10 },
      { type: 'dead-letters-redriven', queue: 'orders', group: 'shop', actor: 'bo', count: 1 },
      { type: 'dead-letters-redriven', queue: 'orders', group: 'shop', actor: 'ana', count: 1 },
      { type: 'dead-letters-redriven', queue: 'orders', group: 'shop', actor: 'ana', count: 8 },
    ]);
  });

  it('say which option is wrong before anything is touched', async () => {
    await expect(letters.redrive({}, { actor: '' })).rejects.toThrow('actor must name who asks');
    await expect(letters.discard({}, { actor: 'a', ratePerSecond: 0 })).rejects.toThrow('ratePerSecond is 0');
    expect(await letters.count()).toBe(30);
  });
});

describe('Peeking', () => {
  it('shows the newest, oldest of them first, fewer where there are fewer, and leaves no reader behind', async () => {
    const clock = new VirtualClock();
    const ackline = new Ackline({ driver: new MemoryStore({ clock }).driver(), clock });
    for (let n = 0; n < 5; n++) {
      await ackline.publish('orders', jsonMessage(n, { id: `m${n}` }));
      await clock.advance(10);
    }
    const peeked = async (last: number): Promise<readonly string[]> => {
      const peek = ackline.peek('orders', { last });
      // A reader that finds nothing waits for a second.
      await clock.advance(5_000);
      return (await peek).map(({ id }) => id);
    };
    expect(await peeked(2)).toEqual(['m3', 'm4']);
    expect(await peeked(50)).toEqual(['m0', 'm1', 'm2', 'm3', 'm4']);
    expect(await ackline.queues()).toEqual([{ queue: 'orders', groups: [] }]);
    await expect(ackline.peek('orders', { last: 0 })).rejects.toThrow('last is 0');
    await ackline.close();
  });
});
