import { Ackline } from '../ackline.js';
import { MemoryStore } from '../drivers/memory/memory-store.js';
import { VirtualClock } from '../drivers/memory/virtual-clock.js';
import type { GroupMember, QueueDriver } from '../queue-driver.js';
import { IN_FLIGHT_PER_HANDLER } from './in-flight.js';

/** A store that takes its time to make settlements durable, or is away for takes, as the spec says. */
class SlowStore {
  readonly clock = new VirtualClock();
  readonly driver: QueueDriver;
  readonly acks: { readonly settle: () => void; readonly fail: () => void }[] = [];
  away = false;
  takes = 0;

  constructor() {
    const driver = new MemoryStore({ clock: this.clock }).driver();
    this.driver = new Proxy(driver, {
      get: (target, name) => {
        if (name === 'join')
          return async (options: Parameters<QueueDriver['join']>[0]) => this.slow(await driver.join(options));
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
      },
    });
  }

  private slow(member: GroupMember): GroupMember {
    return {
      workerId: member.workerId,
      take: (limit, signal) => {
        this.takes += 1;
        return this.away ? Promise.reject(new Error('the store is away')) : member.take(limit, signal);
      },
      settle: (lease, settlement) =>
        new Promise((resolve, reject) => {
          const settle = (): void => void member.settle(lease, settlement).then(resolve, reject);
          this.acks.push({ settle, fail: () => reject(new Error('the store is away')) });
        }),
      release: (leases) => member.release(leases),
      onLeaseLost: (listener) => member.onLeaseLost(listener),
      status: () => member.status(),
      leave: (deadlineMs) => member.leave(deadlineMs),
    };
  }

  settleAll(): void {
    for (const { settle } of this.acks.splice(0)) settle();
  }

  failAll(): void {
    for (const { fail } of this.acks.splice(0)) fail();
  }
}

describe('what a worker has in flight', () => {
  let store: SlowStore;
  let ackline: Ackline;

  beforeEach(() => {
    store = new SlowStore();
    ackline = new Ackline({ driver: store.driver, clock: store.clock });
  });

  afterEach(async () => {
    const closed = ackline.close(1_000);
    store.settleAll();
    await store.clock.advance(2_000);
    await closed;
  });

  const publish = (count: number): Promise<unknown> =>
    ackline.publish(
      'q',
      Array.from({ length: count }, (_, index) => ({ id: `m${index}`, payload: new Uint8Array(1) })),
    );

  it('a handler that has returned makes room for the next before its ack is durable', async () => {
    await publish(10);
    const handled: string[] = [];
    ackline.consume({ queue: 'q', group: 'g', concurrency: 1 }, ({ message }) => void handled.push(message.id));
    await store.clock.advance(10);
    expect(handled).toHaveLength(10);
  });

  it('handled messages whose acks are not durable are bounded, and make room once they are', async () => {
    await publish(50);
    let handled = 0;
    ackline.consume({ queue: 'q', group: 'g', concurrency: 2 }, async () => {
      await Promise.resolve();
      handled += 1;
    });
    await store.clock.advance(5_000);
    expect(handled).toBe(2 * IN_FLIGHT_PER_HANDLER);
    store.settleAll();
    await store.clock.advance(10);
    expect(handled).toBe(50);
  });

  it('a handler that waits for its ack keeps its place, so that no more than concurrency are in flight', async () => {
    await publish(10);
    let begun = 0;
    ackline.consume({ queue: 'q', group: 'g', concurrency: 3 }, async (delivery) => {
      begun += 1;
      await delivery.ack();
    });
    await store.clock.advance(5_000);
    expect(begun).toBe(3);
    store.settleAll();
    await store.clock.advance(10);
    expect(begun).toBe(6);
  });

  it('a close waits for acks that are on their way', async () => {
    await publish(5);
    const consumer = ackline.consume({ queue: 'q', group: 'g', concurrency: 10 }, () => undefined);
    await store.clock.advance(10);
    let closed = false;
    const closing = consumer.close(10_000).then(() => (closed = true));
    await store.clock.advance(1_000);
    expect(closed).toBe(false);
    store.settleAll();
    await store.clock.advance(10);
    await closing;
    expect(await ackline.stats('q', 'g')).toMatchObject({ ready: 0, inFlight: 0 });
  });

  it('each handler has its own time: those that run too long are aborted, the others are not', async () => {
    await publish(3);
    const aborted: string[] = [];
    const settings = { queue: 'q', group: 'g', concurrency: 5, handlerTimeoutMs: 1_000, maxDeliveries: 1 };
    ackline.consume(settings, async ({ message, signal }) => {
      signal.addEventListener('abort', () => aborted.push(`${message.id} at ${store.clock.monotonic()}`));
      if (message.id === 'm1') return;
      if (message.id === 'm3') await new Promise((resolve) => store.clock.schedule(900, () => resolve(undefined)));
      await new Promise(() => undefined);
    });
    await store.clock.advance(400);
    await ackline.publish('q', { id: 'm4', payload: new Uint8Array(1) });
    await store.clock.advance(2_000);
    expect(aborted.map((line) => line.split(' ')[0])).toEqual(['m0', 'm2', 'm4']);
    expect(aborted.slice(0, 2).map((line) => line.split(' at ')[1])).toEqual(['1000', '1000']);
  });

  it('settlements that the store does not take are told of once a pause, not once a message', async () => {
    await publish(20);
    const told: string[] = [];
    const observed = new Ackline({
      driver: store.driver,
      clock: store.clock,
      observer: (event) => void (event.type === 'unavailable' && told.push(event.during)),
    });
    observed.consume({ queue: 'q', group: 'g', concurrency: 20 }, () => undefined);
    await store.clock.advance(10);
    expect(store.acks).toHaveLength(20);
    store.failAll();
    await store.clock.advance(0);
    expect(told).toEqual(['settle']);
    await store.clock.advance(500);
    expect(store.acks).toHaveLength(20);
    store.settleAll();
    await store.clock.advance(10);
    expect(await observed.stats('q', 'g')).toMatchObject({ ready: 0, inFlight: 0 });
  });

  it('status does not say that it consumes while the store is only being tried again', async () => {
    const consumer = ackline.consume({ queue: 'q', group: 'g' }, () => undefined);
    await store.clock.advance(10);
    expect(consumer.status()).toEqual({ state: 'consuming' });
    store.away = true;
    const states = new Set<string>();
    await store.clock.advance(2_000);
    const before = store.takes;
    while (store.takes < before + 5) {
      await store.clock.advance(50);
      states.add(consumer.status().state);
    }
    expect([...states]).toEqual(['waiting']);
    store.away = false;
    await store.clock.advance(15_000);
    expect(consumer.status()).toEqual({ state: 'consuming' });
  });
});
