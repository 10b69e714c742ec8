import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Ackline, RejectError, StopTheLineError, jsonMessage, readJson } from 'ackline';
import { drained, testQueue } from 'ackline/testing';
import type { TestQueue } from 'ackline/testing';

const shop = { queue: 'orders', group: 'shop' };

describe('A test queue', () => {
  let queue: TestQueue;

  beforeEach(() => {
    queue = testQueue();
  });

  afterEach(() => queue.close());

  it('shows what was published, and by what handlers published', async () => {
    queue.ackline.consume(shop, async ({ message }) => {
      await queue.ackline.publish('invoices', jsonMessage({ for: readJson(message) }, { key: message.id }));
    });
    await queue.ackline.publish('orders', [jsonMessage(1, { id: 'a' }), jsonMessage(2, { id: 'b', delayMs: 5_000 })]);
    await queue.drained();
    expect(queue.published('invoices')).toMatchObject([
      { key: 'a', value: { for: 1 } },
      { key: 'b', value: { for: 2 } },
    ]);
    expect(queue.published('orders')[1]).toEqual({
      id: 'b',
      key: undefined,
      headers: { 'content-type': 'application/json' },
      delayMs: 5_000,
      payload: new TextEncoder().encode('2'),
      value: 2,
    });
    expect(queue.published('nothing')).toEqual([]);
  });

  it('lets redeliveries, delays and stopped lines pass in no time, and stands still otherwise', async () => {
    const startedAt = queue.clock.now();
    const deliveries: number[] = [];
    let faulty = true;
    queue.ackline.consume({ ...shop, maxDeliveries: 10 }, ({ deliveryCount }) => {
      deliveries.push(deliveryCount);
      if (faulty) {
        faulty = false;
        throw new StopTheLineError('away');
      }
      if (deliveryCount < 8) throw new Error('not yet');
    });
    await queue.ackline.publish('orders', jsonMessage(1, { delayMs: 3_600_000 }));
    await queue.advance(3_599_999);
    expect(deliveries).toEqual([]);
    await queue.drained();
    expect(deliveries).toEqual([1, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(queue.clock.now() - startedAt).toBeGreaterThanOrEqual(3_600_000);
    expect(await queue.deadLetters('orders', 'shop')).toEqual([]);
  });

  it('counts a dead letter as settled', async () => {
    queue.ackline.consume(shop, () => {
      throw new RejectError('hopeless');
    });
    await queue.ackline.publish('orders', jsonMessage(1, { id: 'a' }));
    await queue.drained();
    expect(await queue.deadLetters('orders', 'shop')).toMatchObject([{ id: 'a', errorCode: 'hopeless' }]);
  });

  it('waits in real time for a handler that waits for something real', async () => {
    let done = false;
    queue.ackline.consume({ ...shop, handlerTimeoutMs: 1 }, async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      done = true;
    });
    await queue.ackline.publish('orders', jsonMessage(1));
    await queue.drained();
    expect(done).toBe(true);
  });

  it('tells what is left, and how its consumer stands', async () => {
    const handler = queue.ackline.consume(shop, () => new Promise(() => undefined));
    queue.connect().consume({ queue: 'invoices', group: 'books' }, () => {
      throw new StopTheLineError('smtp_auth');
    });
    await queue.ackline.publish('orders', jsonMessage(1));
    await queue.ackline.publish('invoices', [jsonMessage(1), jsonMessage(2)]);
    await expect(queue.drained({ deadlineMs: 30 })).rejects.toThrow(
      'queue orders, group shop: 0 ready, 0 waiting, 1 in flight; its consumer: consuming',
    );
    void handler.close();
    await queue.advance(10_000);
    await expect(queue.drained({ passAtMostMs: 60_000 })).rejects.toThrow(
      /orders, group shop: 1 ready.*nobody consumes it\n.*invoices, group books: 2 ready.*line-stopped, smtp_auth/,
    );
  });

  it('passes over queues that nobody consumes', async () => {
    await queue.ackline.publish('orders', jsonMessage(1));
    await queue.drained();
    expect(queue.published('orders')).toHaveLength(1);
  });

  it('waits for a consumer that has not joined yet: what waits may be for it', async () => {
    const seen: unknown[] = [];
    await queue.ackline.publish('orders', jsonMessage('early'));
    const slow = queue.driver();
    const join = slow.join.bind(slow);
    slow.join = async (options) => {
      await new Promise((resolve) => setTimeout(resolve, 30));
      return join(options);
    };
    const ackline = new Ackline({ driver: slow, clock: queue.clock });
    ackline.consume(shop, ({ message }) => void seen.push(readJson(message)));
    await drained(ackline);
    expect(seen).toEqual(['early']);
    await ackline.close();
  });

  it('drains any Ackline in real time too', async () => {
    queue.ackline.consume(shop, () => undefined);
    await queue.ackline.publish('orders', jsonMessage(1));
    await drained(queue.ackline);
    queue.ackline.consume({ queue: 'slow', group: 'shop' }, () => new Promise(() => undefined));
    await queue.ackline.publish('slow', jsonMessage(1));
    await expect(drained(queue.ackline, { deadlineMs: 20 })).rejects.toMatchObject({
      left: [{ queue: 'slow', group: 'shop', inFlight: 1 }],
    });
  });

  it('works in node:test as in Jest', async () => {
    const program = `
      import assert from 'node:assert/strict';
      import test from 'node:test';
      import { jsonMessage } from 'ackline';
      import { testQueue } from 'ackline/testing';
      test('an invoice for each order', async () => {
        const queue = testQueue();
        queue.ackline.consume({ queue: 'orders', group: 'shop' }, async ({ message }) => {
          await queue.ackline.publish('invoices', jsonMessage({ order: message.id }));
        });
        await queue.ackline.publish('orders', jsonMessage({}, { id: 'a', delayMs: 1_000 }));
        await queue.drained();
        assert.deepEqual(queue.published('invoices').map(({ value }) => value), [{ order: 'a' }]);
        await queue.close();
      });`;
    const cwd = fileURLToPath(new URL('../../..', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], { cwd });
    expect(stdout).toMatch(/pass 1\n/);
  });
});
