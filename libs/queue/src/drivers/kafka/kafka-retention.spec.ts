import { randomUUID } from 'node:crypto';
import { Kafka, logLevel } from './client/kafkajs.js';
import type { GroupMember, QueueDriver, TakenMessage } from '../../queue-driver.js';
import type { PreparedMessage } from '../../message.js';
import { kafkaDriver } from './index.js';
import { canHaveKafka, testKafka } from './testing/test-kafka.js';
import type { TestKafka } from './testing/test-kafka.js';

const VISIBILITY_MS = 2_000;

function message(text: string, delayMs = 0): PreparedMessage {
  return { id: text, key: undefined, payload: new TextEncoder().encode(text), headers: {}, delayMs };
}

const textOf = ({ message: { payload } }: TakenMessage): string => new TextDecoder().decode(payload);

async function takeOne(member: GroupMember, deadlineMs = 15_000): Promise<TakenMessage> {
  const end = Date.now() + deadlineMs;
  while (Date.now() < end) {
    const [taken] = await member.take({ messages: 1, bytes: 1_000 }, new AbortController().signal);
    if (taken) return taken;
  }
  throw new Error('nothing came in time');
}

const describeKafka = (await canHaveKafka()) ? describe : describe.skip;

describeKafka('beyond what Kafka keeps', () => {
  let kafka: TestKafka;
  const drivers: QueueDriver[] = [];
  const errors: string[] = [];

  const open = (retentionMs?: number): QueueDriver => {
    const driver = kafkaDriver({
      brokers: kafka.brokers,
      partitions: 1,
      logger: ({ level, message: line }) => void (level === 'error' && errors.push(line)),
      ...(retentionMs === undefined ? {} : { retentionMs }),
    });
    drivers.push(driver);
    return driver;
  };
  const join = (driver: QueueDriver, queue: string): Promise<GroupMember> =>
    driver.join({ queue, group: 'g', from: 'beginning', order: { by: 'none' }, visibilityTimeoutMs: VISIBILITY_MS });

  const withAdmin = async <T>(
    use: (admin: ReturnType<InstanceType<typeof Kafka>['admin']>) => Promise<T>,
  ): Promise<T> => {
    const admin = new Kafka({ brokers: [...kafka.brokers], logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    return use(admin).finally(() => admin.disconnect());
  };
  const firstOffset = (topic: string): Promise<number> =>
    withAdmin(async (admin) => Number((await admin.fetchTopicOffsets(topic))[0]?.low));

  /** Everything published so far goes. */
  const expire = (topic: string): Promise<void> =>
    withAdmin(async (admin) => {
      const [end] = await admin.fetchTopicOffsets(topic);
      await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: end!.high }] });
    });

  beforeAll(async () => {
    kafka = await testKafka();
  }, 120_000);

  afterAll(async () => {
    await Promise.all(drivers.map((driver) => driver.close(2_000)));
    await kafka.stop();
  }, 60_000);

  it('a message that waits longer than its queue keeps it is delivered when it is due, also to another worker', async () => {
    const queue = `retention-${randomUUID()}`;
    const driver = open(6_000);
    const member = await join(driver, queue);
    await driver.publish(queue, [message('nacked'), message('delayed', 15_000), message('other')]);
    for (const expected of ['nacked', 'other']) {
      const taken = await takeOne(member);
      expect(textOf(taken)).toBe(expected);
      const isNacked = expected === 'nacked';
      await member.settle(
        taken.lease,
        isNacked ? { type: 'nack', delayMs: 8_000, errorCode: 'later' } : { type: 'ack' },
      );
    }
    // As retention does, only sooner: it goes by segments, every few minutes.
    await expire(queue);
    expect(await firstOffset(queue)).toBe(3);
    await member.leave(2_000);
    const next = await join(open(6_000), queue);
    const again = await takeOne(next, 40_000);
    expect([textOf(again), again.deliveryCount, again.lastErrorCode]).toEqual(['nacked', 2, 'later']);
    await next.settle(again.lease, { type: 'ack' });
    const delayed = await takeOne(next, 60_000);
    expect([textOf(delayed), delayed.deliveryCount]).toEqual(['delayed', 1]);
    await next.settle(delayed.lease, { type: 'ack' });
    expect(errors).toEqual([]);
  }, 180_000);

  it('messages that expired unhandled are reported, and the next is delivered', async () => {
    const queue = `retention-${randomUUID()}`;
    const driver = open();
    await (await join(driver, queue)).leave(2_000);
    await driver.publish(queue, [message('gone 1'), message('gone 2')]);
    await expire(queue);
    await driver.publish(queue, [message('here')]);
    const member = await join(driver, queue);
    const taken = await takeOne(member);
    expect(textOf(taken)).toBe('here');
    await member.settle(taken.lease, { type: 'ack' });
    expect(errors).toEqual([expect.stringContaining('2 messages expired unhandled')]);
    const { ready, waiting, inFlight } = await driver.stats(queue, 'g');
    expect({ ready, waiting, inFlight }).toEqual({ ready: 0, waiting: 0, inFlight: 0 });
  }, 60_000);

  it('partitions added to a queue are consumed from their beginning', async () => {
    const queue = `grown-${randomUUID()}`;
    const driver = open();
    const member = await join(driver, queue);
    await driver.publish(queue, [message('before')]);
    const seen = [await takeOne(member)];
    await withAdmin((admin) => admin.createPartitions({ topicPartitions: [{ topic: queue, count: 3 }] }));
    const producer = open();
    // Three at least, and one after another to each partition, once the producer knows them.
    for (let count = 0; count < 9; count++) await producer.publish(queue, [message(`after ${count}`)]);
    while (seen.length < 10) seen.push(await takeOne(member, 30_000));
    expect(new Set(seen.map(textOf)).size).toBe(10);
    expect(new Set(seen.map(({ message: { origin } }) => origin.split('/')[1])).size).toBe(3);
  }, 90_000);

  it('the ledger is trimmed behind a snapshot, which keeps what waits', async () => {
    const queue = `snapshot-${randomUUID()}`;
    const driver = open();
    const member = await join(driver, queue);
    const ledger = `${queue}.g.ledger`;
    await driver.publish(queue, [message('waits')]);
    const first = await takeOne(member);
    await member.settle(first.lease, { type: 'nack', delayMs: 24 * 60 * 60 * 1_000, errorCode: 'tomorrow' });
    // A snapshot every 5,000 records. A message has a settlement of its own here; several may share the record of their leases.
    const end = Date.now() + 240_000;
    for (let done = 0; (await firstOffset(ledger)) < 5_000 && Date.now() < end; done += 500) {
      await driver.publish(
        queue,
        Array.from({ length: 500 }, (_, index) => message(`m${done + index}`)),
      );
      for (let taken = 0; taken < 500; taken++) {
        const { lease } = await takeOne(member);
        await member.settle(lease, { type: 'ack' });
      }
    }
    expect(await firstOffset(ledger)).toBeGreaterThanOrEqual(5_000);
    await member.leave(2_000);
    const other = open();
    const { ready, waiting, inFlight } = await other.stats(queue, 'g');
    expect({ ready, waiting, inFlight }).toEqual({ ready: 0, waiting: 1, inFlight: 0 });
    const next = await join(other, queue);
    await other.publish(queue, [message('new')]);
    expect(textOf(await takeOne(next))).toBe('new');
  }, 400_000);
});
