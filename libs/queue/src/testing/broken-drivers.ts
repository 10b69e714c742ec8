import { randomUUID } from 'node:crypto';
import { LeaseLostError } from '../errors.js';
import type { PreparedMessage } from '../message.js';
import type {
  DeadLetter,
  DeadLetterStore,
  EphemeralReader,
  GroupMember,
  QueueDriver,
  Settlement,
  TakenMessage,
} from '../queue-driver.js';
import type { PromiseNumber } from './contract-case.js';
import type { ContractHarness } from './contract-harness.js';

/** A fault that real drivers have had, put upon a good driver; the contract suite must find it. */
export interface BrokenDriver {
  /** What is wrong, as a sentence about the driver. */
  readonly fault: string;
  /** The promises, at least, of which a case must fail. */
  readonly breaks: readonly PromiseNumber[];
  wrap(good: QueueDriver): QueueDriver;
}

const broken = (fault: string, breaks: readonly PromiseNumber[], wrap: BrokenDriver['wrap']): BrokenDriver => ({
  fault,
  breaks,
  wrap,
});

/** The good object, but for what `faults` replaces. */
function but<T extends object>(good: T, faults: Partial<T>): T {
  return new Proxy(good, {
    get(target, name) {
      const source = name in faults ? faults : target;
      const value: unknown = Reflect.get(source, name, source);
      return typeof value === 'function' ? (value.bind(source) as unknown) : value;
    },
  });
}

function withMember(good: QueueDriver, faults: (member: GroupMember) => Partial<GroupMember>): QueueDriver {
  return but(good, {
    async join(options) {
      const member = await good.join(options);
      return but(member, faults(member));
    },
  });
}

/** Each message taken goes through `change`; one that it makes undefined is not given. */
function withTaken(
  good: QueueDriver,
  change: (taken: TakenMessage, member: GroupMember) => Promise<TakenMessage | undefined>,
): QueueDriver {
  return withMember(good, (member) => ({
    async take(limit, signal) {
      const taken = await member.take(limit, signal);
      const changed = await Promise.all(taken.map((one) => change(one, member)));
      return changed.filter((one) => one !== undefined);
    },
  }));
}

function withSettlement(good: QueueDriver, change: (settlement: Settlement) => Settlement): QueueDriver {
  return withMember(good, (member) => ({ settle: (lease, settlement) => member.settle(lease, change(settlement)) }));
}

function withPublished(good: QueueDriver, change: (messages: PreparedMessage[]) => PreparedMessage[]): QueueDriver {
  return but(good, { publish: (queue, messages) => good.publish(queue, change([...messages])) });
}

function withDeadLetters(good: QueueDriver, faults: (store: DeadLetterStore) => Partial<DeadLetterStore>): QueueDriver {
  return but(good, {
    deadLetters(queue, group) {
      const store = good.deadLetters(queue, group);
      return but(store, faults(store));
    },
  });
}

const isSuspect = ({ previousEnd }: TakenMessage): boolean => previousEnd.startsWith('crashed');

/** As a consumer that commits a position: a message is done only once all before it are. */
function settleInOrder(member: GroupMember): Partial<GroupMember> {
  const before = new Map<string, Promise<void>>();
  const done = new Map<string, () => void>();
  let last: Promise<void> = Promise.resolve();
  return {
    async take(limit, signal) {
      const taken = await member.take(limit, signal);
      for (const { lease } of taken) {
        before.set(lease.id, last);
        last = new Promise((resolve) => done.set(lease.id, resolve));
      }
      return taken;
    },
    async settle(lease, settlement) {
      await before.get(lease.id);
      const lost = await member.settle(lease, settlement);
      done.get(lease.id)?.();
      return lost;
    },
  };
}

export const brokenDrivers: readonly BrokenDriver[] = [
  broken('it loses what is nacked', [1, 5], (good) =>
    withSettlement(good, (settlement) => (settlement.type === 'nack' ? { type: 'ack' } : settlement)),
  ),
  broken('it loses what a dead worker held', [1, 4], (good) =>
    withTaken(good, async (taken, member) => {
      if (!isSuspect(taken)) return taken;
      await member.settle(taken.lease, { type: 'ack' });
      return undefined;
    }),
  ),
  broken('it delivers twice', [1, 8], (good) =>
    withMember(good, (member) => {
      let repeated: readonly TakenMessage[] = [];
      return {
        async take(limit, signal) {
          const taken = [...repeated, ...(await member.take(limit, signal))];
          repeated = taken.slice(repeated.length);
          return taken;
        },
      };
    }),
  ),
  broken('it stores twice', [1], (good) => withPublished(good, (messages) => messages.flatMap((one) => [one, one]))),
  broken('it reorders what is published', [7], (good) => withPublished(good, (messages) => messages.reverse())),
  broken('it ignores the order that a group asks for', [7], (good) =>
    but(good, { join: (options) => good.join({ ...options, order: { by: 'none' } }) }),
  ),
  broken('it forgets the count', [1, 4, 5, 6], (good) =>
    withTaken(good, (taken) => Promise.resolve<TakenMessage>({ ...taken, deliveryCount: 1 })),
  ),
  broken('it forgets the error and the first time', [4], (good) =>
    withTaken(good, (taken) =>
      Promise.resolve<TakenMessage>({ ...taken, lastErrorCode: undefined, firstSeenAt: new Date() }),
    ),
  ),
  broken('it blames every message that was in flight at a death', [4], (good) =>
    withTaken(good, (taken) =>
      Promise.resolve<TakenMessage>(isSuspect(taken) ? { ...taken, previousEnd: 'crashed-alone' } : taken),
    ),
  ),
  broken('it blocks behind a slow message', [2], (good) => withMember(good, settleInOrder)),
  broken('it ignores delays', [5, 7], (good) =>
    withPublished(
      withSettlement(good, (settlement) => (settlement.type === 'nack' ? { ...settlement, delayMs: 0 } : settlement)),
      (messages) => messages.map((one) => ({ ...one, delayMs: 0 })),
    ),
  ),
  broken('it makes dead letters without payload and headers', [6], (good) =>
    withDeadLetters(good, (store) => ({
      async list(filter, page) {
        const letters = await store.list(filter, page);
        return letters.map((letter): DeadLetter => ({ ...letter, payload: new Uint8Array(), headers: {} }));
      },
    })),
  ),
  broken('it redrives under a new id', [6, 12], (good) =>
    but(good, {
      deadLetters(queue, group) {
        const store = good.deadLetters(queue, group);
        return but(store, {
          async redrive(ids, actor) {
            const letters = await store.list({ ids }, { limit: 1_000 });
            const copies = letters.map((letter) => ({ ...letter, id: randomUUID(), delayMs: 0 }));
            await good.publish(queue, copies);
            return store.discard(ids, actor);
          },
        });
      },
    }),
  ),
  broken('it lets a lost lease ack', [3], (good) =>
    withMember(good, (member) => ({
      async settle(lease, settlement) {
        await member.settle(lease, settlement).catch((error: unknown) => {
          if (!(error instanceof LeaseLostError)) throw error;
        });
      },
    })),
  ),
  broken('it tells no worker that its lease is lost', [3], (good) =>
    withMember(good, () => ({ onLeaseLost: () => undefined })),
  ),
  broken('it gives back nothing when a worker leaves', [8], (good) =>
    withMember(good, () => ({ leave: () => Promise.resolve() })),
  ),
  broken('it counts what is released', [9], (good) =>
    withMember(good, (member) => ({
      async release(leases) {
        for (const lease of leases) {
          await member.settle(lease, { type: 'nack', delayMs: 0, errorCode: 'released' }).catch(() => undefined);
        }
      },
    })),
  ),
  broken('it gives more than was asked for', [9], (good) =>
    withMember(good, (member) => ({
      take: (_limit, signal) => member.take({ messages: 1_000, bytes: Infinity }, signal),
    })),
  ),
  broken('it never ends a take that waits', [10], (good) =>
    withMember(good, (member) => ({
      async take(limit) {
        for (;;) {
          const taken = await member.take(limit, new AbortController().signal).catch(() => []);
          if (taken.length > 0) return taken;
          if (!member.status().consuming) return new Promise(() => undefined);
        }
      },
    })),
  ),
  broken('it redelivers to every group', [11], (good) =>
    but(good, {
      async join(options) {
        const member = await good.join(options);
        const messages = new Map<string, PreparedMessage>();
        return but(member, {
          async take(limit, signal) {
            const taken = await member.take(limit, signal);
            for (const { lease, message } of taken) messages.set(lease.id, { ...message, delayMs: 0 });
            return taken;
          },
          async settle(lease, settlement) {
            const message = messages.get(lease.id);
            if (settlement.type !== 'nack' || message === undefined) return member.settle(lease, settlement);
            await good.publish(options.queue, [{ ...message, delayMs: settlement.delayMs }]);
            await member.settle(lease, { type: 'ack' });
          },
        });
      },
    }),
  ),
  broken('its ephemeral readers see only what is new', [11], (good) =>
    but(good, {
      openEphemeral: ({ queue }): Promise<EphemeralReader> => good.openEphemeral({ queue, from: 'latest' }),
    }),
  ),
  broken('its groups start at latest, whatever they ask', [14], (good) =>
    but(good, { join: (options) => good.join({ ...options, from: 'latest' }) }),
  ),
  broken('it makes up message ids', [1, 12], (good) =>
    withPublished(good, (messages) => messages.map((one) => ({ ...one, id: randomUUID() }))),
  ),
];

/** A harness whose every driver has the fault. */
export function brokenHarness(good: ContractHarness, { wrap }: Pick<BrokenDriver, 'wrap'>): ContractHarness {
  const goodOnes = new WeakMap<QueueDriver, QueueDriver>();
  const goodOne = (driver: QueueDriver): QueueDriver => goodOnes.get(driver) ?? driver;
  return {
    ...good,
    async open() {
      const driver = await good.open();
      const wrapped = wrap(driver);
      goodOnes.set(wrapped, driver);
      return wrapped;
    },
    crash: (driver) => good.crash(goodOne(driver)),
    ...(good.cutOff && { cutOff: (driver: QueueDriver) => good.cutOff!(goodOne(driver)) }),
  };
}
