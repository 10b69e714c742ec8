import fc from 'fast-check';
import { LeaseLostError } from '../../errors.js';
import type { DeliveryOrder, GroupMember, QueueDriver, TakenMessage } from '../../queue-driver.js';
import { textMessage, textOf } from '../../testing/stage.js';
import { MemoryStore } from './memory-store.js';
import { VirtualClock } from './virtual-clock.js';

const VISIBILITY_MS = 9_000;
const QUEUE = 'q';
const GROUP = 'g';

type Step =
  | { readonly do: 'publish'; readonly key: number; readonly delayMs: number }
  | { readonly do: 'take'; readonly worker: number; readonly messages: number }
  | { readonly do: 'ack' | 'reject' | 'release'; readonly worker: number; readonly held: number }
  | { readonly do: 'nack'; readonly worker: number; readonly held: number; readonly delayMs: number }
  | { readonly do: 'crash' | 'leave' | 'cut off'; readonly worker: number }
  | { readonly do: 'redrive' }
  | { readonly do: 'advance'; readonly ms: number };

const worker = fc.nat({ max: 2 });
const held = fc.nat({ max: 9 });
const delayMs = fc.constantFrom(0, 0, 1_000, 20_000, 60_000);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('publish' as const), key: fc.nat({ max: 3 }), delayMs }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('take' as const), worker, messages: fc.integer({ min: 1, max: 4 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom('ack' as const, 'reject' as const, 'release' as const), worker, held }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('nack' as const), worker, held, delayMs }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('crash' as const, 'leave' as const, 'cut off' as const), worker }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('redrive' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('advance' as const),
      ms: fc.constantFrom(1, 500, 3_000, 10_000, 70_000),
    }),
  },
);

const order: fc.Arbitrary<DeliveryOrder> = fc.constantFrom<DeliveryOrder>(
  { by: 'none' },
  { by: 'key', whenHeadWaits: 'block' },
  { by: 'key', whenHeadWaits: 'overtake' },
);

/** What the model knows of one message: the whole of it in five fields. */
interface Expected {
  readonly name: string;
  readonly key: string | undefined;
  state: 'free' | 'held' | 'acked' | 'dead';
  dueAt: number;
  count: number;
  end: 'none' | 'nacked' | 'crashed' | 'crashed-alone';
}

interface Worker {
  driver: QueueDriver;
  member: GroupMember;
  readonly held: { readonly taken: TakenMessage; readonly expected: Expected; readonly suspect: boolean }[];
}

/** The queue as one would explain it: a list in publish order, looked through from the front. */
class Model {
  readonly messages: Expected[] = [];

  constructor(
    private readonly order: DeliveryOrder,
    private readonly clock: VirtualClock,
  ) {}

  /** Whether the message may be taken now, by this worker. */
  isFree(one: Expected): boolean {
    if (one.state !== 'free' || one.dueAt > this.clock.now()) return false;
    if (this.order.by === 'none' || one.key === undefined) return true;
    const lane = this.messages.filter(({ key, state }) => key === one.key && (state === 'free' || state === 'held'));
    if (lane.some(({ state }) => state === 'held')) return false;
    const before = lane.slice(0, lane.indexOf(one));
    return this.order.whenHeadWaits === 'block'
      ? before.length === 0
      : before.every(({ dueAt }) => dueAt > this.clock.now());
  }

  /** The answer that a take must give. */
  take(messages: number, holdsSuspect: boolean): Expected[] {
    const isSuspect = ({ end }: Expected): boolean => end.startsWith('crashed');
    const suspect = this.messages.find((one) => isSuspect(one) && this.isFree(one));
    if (suspect !== undefined && !holdsSuspect) return [this.hold(suspect)];
    const taken: Expected[] = [];
    for (const one of this.messages) {
      if (taken.length < messages && !isSuspect(one) && this.isFree(one)) taken.push(this.hold(one));
    }
    return taken;
  }

  private hold(one: Expected): Expected {
    one.state = 'held';
    one.count += 1;
    return one;
  }
}

class Play {
  readonly clock = new VirtualClock();
  readonly store = new MemoryStore({ clock: this.clock });
  readonly model: Model;
  readonly workers: Worker[] = [];
  private readonly admin = this.store.driver();

  constructor(private readonly order: DeliveryOrder) {
    this.model = new Model(order, this.clock);
  }

  async start(): Promise<void> {
    for (let index = 0; index < 3; index += 1) this.workers.push(await this.newWorker());
  }

  async play(one: Step): Promise<void> {
    switch (one.do) {
      case 'publish':
        return this.publish(one.key, one.delayMs);
      case 'take':
        return this.take(this.workers[one.worker] as Worker, one.messages);
      case 'ack':
      case 'reject':
      case 'release':
      case 'nack':
        return this.end(this.workers[one.worker] as Worker, one);
      case 'crash':
      case 'leave':
      case 'cut off':
        return this.goAway(one.worker, one.do);
      case 'redrive':
        return this.redrive();
      case 'advance':
        return this.clock.advance(one.ms);
    }
  }

  private async publish(key: number, delayMs: number): Promise<void> {
    const name = `m${this.model.messages.length}`;
    const keyOf = key === 0 ? {} : { key: `k${key}` };
    await this.admin.publish(QUEUE, [textMessage(name, { id: name, delayMs, ...keyOf })]);
    const dueAt = this.clock.now() + delayMs;
    this.model.messages.push({ name, key: keyOf.key, state: 'free', dueAt, count: 0, end: 'none' });
  }

  private async take(by: Worker, messages: number): Promise<void> {
    const expected = this.model.take(
      messages,
      by.held.some(({ suspect }) => suspect),
    );
    const enough = new AbortController();
    const answer = by.member.take({ messages, bytes: 1_000 }, enough.signal);
    await this.clock.advance(0);
    enough.abort();
    const taken = await answer;
    const seen = taken.map(({ message, deliveryCount, previousEnd }) => [textOf(message), deliveryCount, previousEnd]);
    expect(seen).toEqual(expected.map(({ name, count, end }) => [name, count, end]));
    taken.forEach((one, index) => {
      by.held.push({
        taken: one,
        expected: expected[index] as Expected,
        suspect: one.previousEnd.startsWith('crashed'),
      });
    });
  }

  private async end(by: Worker, how: Extract<Step, { held: number }>): Promise<void> {
    if (by.held.length === 0) return;
    const [{ taken, expected }] = by.held.splice(how.held % by.held.length, 1) as [Worker['held'][0]];
    const { lease } = taken;
    expected.state = 'free';
    expected.dueAt = this.clock.now();
    switch (how.do) {
      case 'ack':
        await by.member.settle(lease, { type: 'ack' });
        expected.state = 'acked';
        break;
      case 'reject':
        await by.member.settle(lease, { type: 'reject', reason: 'rejected', errorCode: 'no' });
        expected.state = 'dead';
        break;
      case 'nack':
        await by.member.settle(lease, { type: 'nack', delayMs: how.delayMs, errorCode: 'later' });
        expected.dueAt += how.delayMs;
        expected.end = 'nacked';
        break;
      case 'release':
        await by.member.release([lease]);
        expected.count -= 1;
        break;
    }
    await expect(by.member.settle(lease, { type: 'ack' })).rejects.toThrow(LeaseLostError);
  }

  /** The worker's place is taken by a new one; what it held is free at once, or after the visibility timeout. */
  private async goAway(index: number, how: 'crash' | 'leave' | 'cut off'): Promise<void> {
    const gone = this.workers[index] as Worker;
    this.workers[index] = await this.newWorker();
    if (how === 'leave') await gone.driver.close(0);
    const reconnect = how === 'cut off' ? this.store.cutOff(gone.driver) : undefined;
    if (how === 'crash') this.store.crash(gone.driver);
    if (how !== 'leave') await this.clock.advance(VISIBILITY_MS);
    for (const { expected, suspect } of gone.held) {
      expected.state = 'free';
      expected.dueAt = this.clock.now();
      if (how === 'leave') expected.count -= 1;
      else expected.end = suspect ? 'crashed-alone' : 'crashed';
    }
    reconnect?.();
    for (const { taken } of gone.held) await expect(gone.member.settle(taken.lease, { type: 'ack' })).rejects.toThrow();
    if (how === 'cut off') await gone.driver.close(0);
  }

  private async redrive(): Promise<void> {
    const dead = this.model.messages.filter(({ state }) => state === 'dead');
    const moved = await this.admin.deadLetters(QUEUE, GROUP).redrive(
      dead.map(({ name }) => name),
      'test',
    );
    expect(moved).toBe(dead.length);
    for (const one of dead) Object.assign(one, { state: 'free', dueAt: this.clock.now(), count: 0, end: 'none' });
  }

  private async newWorker(): Promise<Worker> {
    const driver = this.store.driver();
    const options = { queue: QUEUE, group: GROUP, from: 'beginning', visibilityTimeoutMs: VISIBILITY_MS } as const;
    return { driver, member: await driver.join({ ...options, order: this.order }), held: [] };
  }

  /** Every message has one fate: after all is settled, acked or dead, and nothing is left. */
  async finish(): Promise<void> {
    const [last] = this.workers as [Worker];
    for (let index = 1; index < 3; index += 1) await this.goAway(index, 'leave');
    for (let rounds = 0; this.model.messages.some(({ state }) => state === 'free' || state === 'held'); rounds += 1) {
      expect(rounds).toBeLessThan(1_000);
      while (last.held.length > 0) await this.end(last, { do: 'ack', worker: 0, held: 0 });
      await this.clock.advance(rounds === 0 ? 0 : 15_000);
      await this.take(last, 100);
    }
    while (last.held.length > 0) await this.end(last, { do: 'ack', worker: 0, held: 0 });
    const count = (state: Expected['state']): number => this.model.messages.filter((one) => one.state === state).length;
    expect(await this.admin.stats(QUEUE, GROUP)).toMatchObject({
      ready: 0,
      waiting: 0,
      inFlight: 0,
      deadLetters: count('dead'),
    });
    expect(count('acked') + count('dead')).toBe(this.model.messages.length);
    for (const { driver } of this.workers) await driver.close(0);
  }
}

describe('the memory driver behaves as a list that is looked through from the front', () => {
  it('under random schedules of publish, take, settle, release, crash, leave, cut off, redrive and time', async () => {
    await fc.assert(
      fc.asyncProperty(order, fc.array(step, { minLength: 1, maxLength: 60, size: 'max' }), async (order, steps) => {
        const play = new Play(order);
        await play.start();
        for (const one of steps) await play.play(one);
        await play.finish();
      }),
      { numRuns: Number(process.env.FC_RUNS ?? 150) },
    );
  });
});
