import fc from 'fast-check';
import { Ackline } from '../ackline.js';
import type { Consumer } from '../consume/consumer.js';
import { RejectError, StopTheLineError } from '../errors.js';
import type { Delivery } from '../delivery.js';
import { MemoryStore } from '../drivers/memory/memory-store.js';
import { VirtualClock } from '../drivers/memory/virtual-clock.js';
import type { QueueEvent } from '../observer.js';
import type { QueueDriver } from '../queue-driver.js';

const MAX_DELIVERIES = 4;
const CONCURRENCY = 3;
const WORKERS = 3;

/** What the handler does at one delivery; after the last of a script it returns. */
type Act =
  | { readonly act: 'return' | 'throw' | 'reject' | 'stop the line' | 'die' | 'nack' | 'nack for long' }
  | { readonly act: 'work'; readonly ms: number };

type Step =
  | { readonly do: 'publish'; readonly key: number; readonly script: readonly Act[] }
  | { readonly do: 'advance'; readonly ms: number }
  | { readonly do: 'replace'; readonly worker: number };

const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ act: fc.constantFrom('return' as const, 'throw' as const, 'nack' as const, 'nack for long' as const) }),
  fc.record({ act: fc.constantFrom('reject' as const, 'stop the line' as const, 'die' as const) }),
  fc.record({ act: fc.constant('work' as const), ms: fc.constantFrom(5, 400, 3_000, 30_000) }),
);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('publish' as const),
      key: fc.nat({ max: 3 }),
      script: fc.array(act, { maxLength: 5 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('advance' as const), ms: fc.constantFrom(0, 10, 700, 9_000) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('replace' as const), worker: fc.nat({ max: WORKERS - 1 }) }) },
);

/** One message as the model knows it, from what handlers and the observer saw. */
interface Seen {
  readonly id: string;
  readonly key: string | undefined;
  readonly script: Act[];
  state: 'published' | 'in flight' | 'nacked' | 'released' | 'acked' | 'dead';
  deliveryCount: number;
  by: Worker | undefined;
  /** How many processes had died at its last delivery. */
  deathsBefore: number;
}

interface Worker {
  readonly driver: QueueDriver;
  readonly ackline: Ackline;
  consumer: Consumer | undefined;
  readonly running: Set<Delivery>;
  dead: boolean;
}

class Play {
  readonly clock = new VirtualClock();
  readonly store = new MemoryStore({ clock: this.clock });
  readonly messages: Seen[] = [];
  readonly faults: string[] = [];
  readonly gone: Worker[] = [];
  private deaths = 0;
  readonly workers: Worker[];
  private readonly publisher = new Ackline({ driver: this.store.driver(), clock: this.clock });

  constructor(private readonly ordered: boolean) {
    this.workers = Array.from({ length: WORKERS }, () => this.newWorker());
  }

  async play(one: Step): Promise<void> {
    switch (one.do) {
      case 'publish':
        return this.publish(one.key, one.script);
      case 'advance':
        return this.clock.advance(one.ms);
      case 'replace':
        return this.replace(this.workers[one.worker] as Worker);
    }
  }

  private async publish(key: number, script: readonly Act[]): Promise<void> {
    const id = `m${this.messages.length}`;
    const keyed = key === 0 ? {} : { key: `k${key}` };
    const about = { state: 'published', deliveryCount: 0, by: undefined, deathsBefore: 0 } as const;
    this.messages.push({ id, key: keyed.key, script: [...script], ...about });
    await this.publisher.publish('q', { id, payload: new Uint8Array(), ...keyed });
  }

  private newWorker(): Worker {
    const driver = this.store.driver();
    const observer = (event: QueueEvent): void => this.observe(worker, event);
    const ackline = new Ackline({ driver, clock: this.clock, observer });
    const worker: Worker = { driver, ackline, consumer: undefined, running: new Set(), dead: false };
    const options = { queue: 'q', group: 'g', concurrency: CONCURRENCY, maxDeliveries: MAX_DELIVERIES };
    const backoff = { baseMs: 100, maxMs: 1_000 };
    const times = { backoff, probe: backoff, visibilityTimeoutMs: 9_000, handlerTimeoutMs: 20_000 };
    worker.consumer = ackline.consume({ ...options, ...times, order: this.ordered ? 'key' : 'none' }, (delivery) =>
      this.handle(worker, delivery),
    );
    return worker;
  }

  private async handle(worker: Worker, delivery: Delivery): Promise<void> {
    const seen = this.seen(delivery.message.id);
    const { deliveryCount } = delivery;
    this.check(worker, seen, deliveryCount);
    Object.assign(seen, { state: 'in flight', by: worker, deliveryCount, deathsBefore: this.deaths });
    // Taken together with the message that killed the process: there is no process to handle it.
    if (worker.dead) return new Promise(() => undefined);
    worker.running.add(delivery);
    // From then on it is not in flight, however long its handler goes on.
    delivery.signal.addEventListener('abort', () => worker.running.delete(delivery));
    try {
      await this.act(worker, delivery, seen.script.shift() ?? { act: 'return' });
    } finally {
      worker.running.delete(delivery);
    }
  }

  private check(worker: Worker, seen: Seen, deliveryCount: number): void {
    const what = `${seen.id} (${seen.state}, count ${seen.deliveryCount}) delivered with count ${deliveryCount}`;
    if (seen.state === 'acked' || seen.state === 'dead') this.faults.push(`${what} after its end`);
    if (seen.state === 'in flight' && seen.by?.dead === false) this.faults.push(`${what} while in flight`);
    const least = seen.deliveryCount + (seen.state === 'released' ? 0 : 1);
    // Each death may have hit the message on its way to a handler: counted, and seen by nobody.
    const most = least + this.deaths - seen.deathsBefore;
    if (deliveryCount < least || deliveryCount > most) this.faults.push(`${what}, expected ${least} to ${most}`);
    if (worker.running.size >= CONCURRENCY) this.faults.push(`${what} beyond the worker's concurrency`);
    if (!this.ordered || seen.key === undefined) return;
    for (const earlier of this.messages.slice(0, this.messages.indexOf(seen))) {
      const ended = earlier.state === 'acked' || earlier.state === 'dead';
      if (earlier.key === seen.key && !ended) this.faults.push(`${what} before ${earlier.id} had ended`);
    }
  }

  private async act(worker: Worker, delivery: Delivery, one: Act): Promise<void> {
    switch (one.act) {
      case 'return':
        return;
      case 'work':
        return new Promise((resolve) => this.clock.schedule(one.ms, resolve));
      case 'throw':
        throw new Error('as told');
      case 'reject':
        throw new RejectError('as_told');
      case 'stop the line':
        throw new StopTheLineError('as_told');
      case 'nack':
        return delivery.nack();
      case 'nack for long':
        return delivery.nack({ delayMs: 60_000 });
      case 'die':
        this.die(worker);
        return new Promise(() => undefined);
    }
  }

  private die(worker: Worker): void {
    this.store.crash(worker.driver);
    worker.dead = true;
    this.deaths += 1;
    this.workers[this.workers.indexOf(worker)] = this.newWorker();
    this.gone.push(worker);
  }

  private async replace(worker: Worker): Promise<void> {
    this.workers[this.workers.indexOf(worker)] = this.newWorker();
    this.gone.push(worker);
    const closed = worker.ackline.close(5_000);
    await this.clock.advance(6_000);
    await closed;
  }

  private observe(worker: Worker, event: QueueEvent): void {
    if (
      event.type !== 'acked' &&
      event.type !== 'nacked' &&
      event.type !== 'released' &&
      event.type !== 'dead-lettered'
    ) {
      return;
    }
    // The lease of a dead worker cannot be given back, only run out.
    if (event.type === 'released' && worker.dead) return;
    const seen = this.seen(event.messageId);
    if (seen.state === 'acked' || seen.state === 'dead')
      this.faults.push(`${seen.id} ${event.type} after ${seen.state}`);
    seen.state = event.type === 'dead-lettered' ? 'dead' : event.type;
    if (event.type === 'nacked' && event.deliveryCount >= MAX_DELIVERIES) {
      this.faults.push(`${seen.id} nacked at delivery ${event.deliveryCount}`);
    }
    // A message is given up on at its last delivery, not before; deaths of its workers count as deliveries.
    if (event.type === 'dead-lettered' && event.reason === 'max_deliveries' && event.deliveryCount < MAX_DELIVERIES) {
      this.faults.push(`${seen.id} dead after ${event.deliveryCount} deliveries`);
    }
  }

  private seen(id: string): Seen {
    return this.messages.find((one) => one.id === id) as Seen;
  }

  async finish(): Promise<void> {
    const open = (): string[] =>
      this.messages
        .filter(({ state }) => state !== 'acked' && state !== 'dead')
        .map(({ id, state }) => `${id} ${state}`);
    for (let minutes = 0; minutes < 60 && open().length > 0; minutes += 1) await this.clock.advance(60_000);
    const { ready, waiting, inFlight, deadLetters } = await this.publisher.stats('q', 'g');
    const dead = this.messages.filter(({ state }) => state === 'dead').length;
    const closings = [...this.workers, ...this.gone].map(({ ackline }) => ackline.close(1_000));
    await this.clock.advance(2_000);
    await Promise.all([...closings, this.publisher.close(0)]);
    expect({ faults: this.faults, open: open() }).toEqual({ faults: [], open: [] });
    expect({ ready, waiting, inFlight, deadLetters }).toEqual({ ready: 0, waiting: 0, inFlight: 0, deadLetters: dead });
  }
}

describe('the engine, under random schedules of handlers, deaths, shutdowns and time', () => {
  it.each([
    ['without order', false],
    ['in key order', true],
  ])('gives every message one fate, with the right counts, %s', async (_, ordered) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30, size: 'max' }), async (steps) => {
        const play = new Play(ordered);
        for (const one of steps) await play.play(one);
        await play.finish();
      }),
      { numRuns: Number(process.env.FC_RUNS ?? 50) },
    );
  });
});
