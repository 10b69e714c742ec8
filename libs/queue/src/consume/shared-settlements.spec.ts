import { Ackline } from '../ackline.js';
import { MemoryStore } from '../drivers/memory/memory-store.js';
import { VirtualClock } from '../drivers/memory/virtual-clock.js';
import { BrokerUnavailableError, LeaseLostError } from '../errors.js';
import type { QueueEvent } from '../observer.js';
import type { GroupMember, Lease, QueueDriver } from '../queue-driver.js';

/** Acks of one moment share a promise, which the spec settles. */
class SharingStore {
  readonly clock = new VirtualClock();
  readonly driver: QueueDriver;
  leases: Lease[] = [];
  settle!: (lost?: readonly Lease[]) => void;
  fail!: () => void;
  #shared: Promise<ReadonlySet<Lease> | void> | undefined;

  constructor() {
    const driver = new MemoryStore({ clock: this.clock }).driver();
    this.driver = but(driver, {
      join: async (options) => but(await driver.join(options), { settle: (lease) => this.#settle(lease) }),
    });
  }

  #settle(lease: Lease): ReturnType<GroupMember['settle']> {
    if (!this.#shared) this.leases = [];
    this.leases.push(lease);
    this.#shared ??= new Promise((resolve, reject) => {
      this.settle = (lost = []) => {
        this.#shared = undefined;
        resolve(lost.length > 0 ? new Set(lost) : undefined);
      };
      this.fail = () => {
        this.#shared = undefined;
        reject(new BrokerUnavailableError('the store is away'));
      };
    });
    return this.#shared;
  }
}

function but<T extends object>(good: T, changes: Partial<T>): T {
  return new Proxy(good, {
    get: (target, name) => {
      const value: unknown = Reflect.get(name in changes ? changes : target, name);
      return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
    },
  });
}

describe('acks that become durable together', () => {
  let store: SharingStore;
  let ackline: Ackline;
  let events: QueueEvent[];
  const told = (type: QueueEvent['type']): string[] =>
    events.flatMap((event) => (event.type === type && 'messageId' in event ? [event.messageId] : []));

  beforeEach(async () => {
    store = new SharingStore();
    events = [];
    ackline = new Ackline({ driver: store.driver, clock: store.clock, observer: (event) => void events.push(event) });
    await ackline.publish(
      'q',
      ['a', 'b', 'c'].map((id) => ({ id, payload: new Uint8Array(1) })),
    );
  });

  afterEach(async () => {
    const closed = ackline.close(1_000);
    await store.clock.advance(2_000);
    await closed;
  });

  it('are told one by one, when their promise resolves', async () => {
    ackline.consume({ queue: 'q', group: 'g', concurrency: 10 }, () => undefined);
    await store.clock.advance(10);
    expect([store.leases.length, told('acked')]).toEqual([3, []]);
    store.settle();
    await store.clock.advance(10);
    expect(told('acked')).toEqual(['a', 'b', 'c']);
  });

  it('have each their own fate: of a lost lease nobody is told that it was acked', async () => {
    let outcome: unknown;
    ackline.consume({ queue: 'q', group: 'g', concurrency: 10 }, async (delivery) => {
      if (delivery.message.id === 'a') outcome = await delivery.ack().catch((error: unknown) => error);
    });
    await store.clock.advance(10);
    // `a` was settled by its handler, before the engine acked the others.
    store.settle(store.leases.slice(0, 2));
    await store.clock.advance(10);
    expect([told('acked'), told('lease-lost').sort()]).toEqual([['c'], ['a', 'b']]);
    expect(outcome).toBeInstanceOf(LeaseLostError);
  });

  it('are tried again, each, when the store was away', async () => {
    ackline.consume({ queue: 'q', group: 'g', concurrency: 10 }, () => undefined);
    await store.clock.advance(10);
    store.fail();
    await store.clock.advance(60_000);
    expect([store.leases.length, told('acked')]).toEqual([3, []]);
    store.settle();
    await store.clock.advance(10);
    expect(told('acked').sort()).toEqual(['a', 'b', 'c']);
  });
});
