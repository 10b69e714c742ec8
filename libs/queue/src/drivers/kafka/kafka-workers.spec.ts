import { randomUUID } from 'node:crypto';
import type { QueueDriver } from '../../queue-driver.js';
import { kafkaDriver } from './index.js';
import { canHaveKafka, testKafka } from './testing/test-kafka.js';
import type { TestKafka } from './testing/test-kafka.js';
import { WorkerProcesses } from './testing/worker-processes.js';

const VISIBILITY_MS = 6_000;
/** Of a worker process; its handlers await their acks. */
const CONCURRENCY = 20;

async function until(condition: () => boolean, what: () => string, deadlineMs = 60_000): Promise<void> {
  const end = Date.now() + deadlineMs;
  while (!condition()) {
    if (Date.now() > end) throw new Error(`did not come true in time: ${what()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const describeKafka = (await canHaveKafka()) ? describe : describe.skip;

describeKafka('worker processes on Kafka', () => {
  let kafka: TestKafka;
  let driver: QueueDriver;
  let workers: WorkerProcesses;
  let queue: string;
  let published = 0;

  const publish = async (count: number): Promise<void> => {
    const payload = new Uint8Array(200);
    const messages = Array.from({ length: count }, () => ({
      id: `m${published++}`,
      key: undefined,
      payload,
      headers: {},
      delayMs: 0,
    }));
    for (let at = 0; at < count; at += 500) await driver.publish(queue, messages.slice(at, at + 500));
  };

  beforeAll(async () => {
    kafka = await testKafka();
  }, 120_000);

  beforeEach(() => {
    queue = `workers-${randomUUID()}`;
    published = 0;
    driver = kafkaDriver({ brokers: kafka.brokers });
    workers = new WorkerProcesses({ brokers: kafka.brokers, queue, visibilityTimeoutMs: VISIBILITY_MS, handleMs: 10 });
  });

  afterEach(async () => {
    await workers.close();
    await driver.close(2_000);
  });

  afterAll(() => kafka.stop(), 60_000);

  it('kill -9 of one of two loses nothing, and repeats at most what it had in flight', async () => {
    const [doomed, other] = [workers.start('doomed'), workers.start('other')];
    await publish(1_000);
    await until(
      () => doomed.handled > 50 && other.handled > 50,
      () => 'both handle',
    );
    const more = publish(2_000);
    await doomed.kill('SIGKILL');
    const inFlight = [...doomed.open];
    await more;
    // An ack that became durable just before the kill could no longer be reported.
    const settled = (id: string): boolean => workers.acked.has(id) || inFlight.includes(id);
    const all = Array.from({ length: published }, (_, index) => `m${index}`);
    await until(
      () => all.every((id) => workers.deliveries.has(id) && settled(id)),
      () => `${workers.acked.size} of ${published} acked`,
    );
    const stats = async (): Promise<number> => {
      const { ready, waiting, inFlight: held } = await driver.stats(queue, 'g');
      return ready + waiting + held;
    };
    const end = Date.now() + 30_000;
    while ((await stats()) > 0) if (Date.now() > end) throw new Error('something is left');
    expect(workers.twice.length).toBeLessThanOrEqual(inFlight.length);
    expect(workers.twice.filter((line) => !inFlight.includes(line.split(' ')[0]!))).toEqual([]);
  }, 120_000);

  it('workers that join and leave cleanly under load cause no second delivery', async () => {
    const first = workers.start('w1');
    await publish(1_000);
    await until(
      () => first.handled > 100,
      () => 'the first handles',
    );
    const more = publish(5_000);
    const joined = ['w2', 'w3', 'w4'].map((name) => workers.start(name));
    await more;
    await until(
      () => joined.every(({ handled }) => handled > 20),
      () => 'all four handle',
    );
    await publish(1_000);
    await Promise.all([first.kill('SIGTERM'), joined[0]!.kill('SIGTERM')]);
    await until(
      () => workers.acked.size === published,
      () => `${workers.acked.size} of ${published} acked`,
    );
    expect(workers.twice).toEqual([]);
  }, 120_000);

  it('a worker stopped for longer than its lease settles nothing when it goes on', async () => {
    const [stopped, other] = [workers.start('stopped'), workers.start('other')];
    await publish(1_000);
    await until(
      () => stopped.handled > 50 && other.handled > 50,
      () => 'both handle',
    );
    stopped.send('SIGSTOP');
    await publish(500);
    const inFlight = [...stopped.open];
    const all = Array.from({ length: published }, (_, index) => `m${index}`);
    const settled = (id: string): boolean => workers.acked.has(id) || inFlight.includes(id);
    await until(
      () => all.every((id) => workers.deliveries.has(id) && settled(id)),
      () => `${workers.acked.size} of ${published} acked`,
    );
    stopped.send('SIGCONT');
    await publish(500);
    await until(
      () => workers.acked.size + inFlight.length >= published,
      () => `${workers.acked.size} of ${published} acked`,
    );
    // What it was given in the moment of the stop it reports only when it goes on: a first delivery, before the other's.
    const givenAtTheStop = (line: string): boolean => /^\S+ other:2 stopped:1$/.test(line);
    const twice = workers.twice.filter((line) => !inFlight.includes(line.split(' ')[0]!));
    expect(twice.filter((line) => !givenAtTheStop(line))).toEqual([]);
    expect(workers.twice.length).toBeLessThanOrEqual(CONCURRENCY);
  }, 120_000);
});
