import { randomUUID } from 'node:crypto';
import { canRunKafkaTools, runKafkaTool } from '../../../../../tools/kafka-local/kafka-cluster.mjs';
import type { PreparedMessage } from '../../message.js';
import type { QueueDriver } from '../../queue-driver.js';
import { kafkaDriver } from './index.js';
import type { Compression } from './index.js';
import { canHaveKafka, testKafka } from './testing/test-kafka.js';
import type { TestKafka } from './testing/test-kafka.js';

const PRODUCER = 'org.apache.kafka.tools.ConsoleProducer';
const CONSUMER = 'org.apache.kafka.tools.consumer.ConsoleConsumer';
/** More than a block of any codec, in lines that compress and lines that do not. */
const LINES = Array.from({ length: 600 }, (_, n) => `line ${n} ${'same '.repeat(40)}${(n * 7_919_317).toString(36)}`);

function message(id: string, text: string): PreparedMessage {
  return { id, key: undefined, payload: new TextEncoder().encode(text), headers: {}, delayMs: 0 };
}

async function take(driver: QueueDriver, queue: string, count: number): Promise<readonly string[]> {
  const reader = await driver.openEphemeral({ queue, from: 'beginning' });
  const seen: string[] = [];
  const end = Date.now() + 60_000;
  while (seen.length < count) {
    if (Date.now() > end) throw new Error(`${seen.length} of ${count} came in time`);
    const taken = await reader.take({ messages: 1_000, bytes: 10_000_000 }, new AbortController().signal);
    seen.push(...taken.map(({ payload }) => new TextDecoder().decode(payload)));
  }
  await reader.close(2_000);
  return seen;
}

const describeKafka = (await canHaveKafka()) && (await canRunKafkaTools()) ? describe : describe.skip;

describeKafka('compression, with the Java clients at the other end', () => {
  let kafka: TestKafka;
  const drivers: QueueDriver[] = [];
  const open = (compression: Compression): QueueDriver => {
    const driver = kafkaDriver({ brokers: kafka.brokers, partitions: 1, compression });
    drivers.push(driver);
    return driver;
  };

  beforeAll(async () => {
    kafka = await testKafka();
  }, 120_000);

  afterAll(async () => {
    await Promise.all(drivers.map((driver) => driver.close(2_000)));
    await kafka.stop();
  }, 60_000);

  it.each(['snappy', 'lz4', 'zstd'])(
    'what Java publishes with %s is read, message by message',
    async (codec) => {
      const queue = `java-${codec}-${randomUUID()}`;
      const driver = open('none');
      await driver.publish(queue, [message('first', 'from here')]);
      const args = ['--bootstrap-server', kafka.brokers.join(','), '--topic', queue, '--compression-codec', codec];
      await runKafkaTool(PRODUCER, args, { input: `${LINES.join('\n')}\n` });
      expect(await take(driver, queue, LINES.length + 1)).toEqual(['from here', ...LINES]);
    },
    120_000,
  );

  it('what is published with Snappy and gzip is read by Java, is smaller, and may be large or empty', async () => {
    const queue = `packed-${randomUUID()}`;
    const large = 'large '.repeat(150_000);
    for (const compression of ['snappy', 'gzip'] as const) {
      const driver = open(compression);
      await driver.publish(queue, []);
      await driver.publish(
        queue,
        LINES.map((line, index) => message(`${compression} ${index}`, line)),
      );
      await driver.publish(queue, [message(`${compression} large`, large), message(`${compression} empty`, '')]);
    }
    const expected = [...LINES, large, '', ...LINES, large, ''];
    const count = String(expected.length);
    const from = ['--bootstrap-server', kafka.brokers.join(','), '--topic', queue, '--from-beginning'];
    const printed = await runKafkaTool(CONSUMER, [...from, '--max-messages', count, '--timeout-ms', '60000']);
    expect(printed.split('\n').slice(0, expected.length)).toEqual(expected);
    expect(await take(open('none'), queue, expected.length)).toEqual(expected);
  }, 120_000);
});
