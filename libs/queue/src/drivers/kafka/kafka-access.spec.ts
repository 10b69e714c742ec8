import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canRunKafkaTools, startKafka } from '../../../../../tools/kafka-local/kafka-cluster.mjs';
import type { LocalKafka } from '../../../../../tools/kafka-local/kafka-cluster.mjs';
import { Ackline } from '../../ackline.js';
import { kafkaDriver } from './index.js';
import type { KafkaDriverOptions } from './index.js';
import { canHaveKafka } from './testing/test-kafka.js';

const MECHANISMS = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;
const WRONG = 'not-the-password-9431';

const describeKafka = (await canHaveKafka()) && (await canRunKafkaTools()) ? describe : describe.skip;

describeKafka('brokers that ask for TLS and a log-in', () => {
  let kafka: LocalKafka;
  let good: KafkaDriverOptions;
  const lines: string[] = [];
  const opened: Ackline[] = [];

  const open = (options: KafkaDriverOptions): Ackline => {
    const logger: KafkaDriverOptions['logger'] = (line) => void lines.push(JSON.stringify(line));
    const ackline = new Ackline({ driver: kafkaDriver({ ...options, partitions: 1, logger }) });
    opened.push(ackline);
    return ackline;
  };

  const sasl = (mechanism: (typeof MECHANISMS)[number], password?: string): KafkaDriverOptions['sasl'] => {
    const { username, password: right } = kafka.secure!;
    return { mechanism, username, password: password ?? right };
  };

  /** Why a consumer waits, as a service's readiness tells it. */
  const whyNot = async (options: KafkaDriverOptions): Promise<string> => {
    const consumer = open(options).consume({ queue: 'refused', group: 'g' }, () => undefined);
    const end = Date.now() + 30_000;
    for (;;) {
      const status = consumer.status();
      const why = 'why' in status ? status.why : undefined;
      if (why !== undefined && /KAFKA_/.test(why)) return why;
      if (Date.now() > end) throw new Error(`it says only: ${String(why)}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };

  beforeAll(async () => {
    const dir = await mkdtemp(join(tmpdir(), 'kafka-secure-'));
    kafka = await startKafka({ brokers: 1, dir, engine: 'java', secure: true });
    const { bootstrap, caFile } = kafka.secure!;
    good = { brokers: bootstrap.split(','), ssl: { ca: await readFile(caFile, 'utf8') } };
  }, 180_000);

  afterAll(async () => {
    await Promise.all(opened.map((ackline) => ackline.close(2_000)));
    await kafka?.stop({ remove: true });
  }, 60_000);

  it.each(MECHANISMS)('%s: publishes and consumes', async (mechanism) => {
    const ackline = open({ ...good, ...wanted(sasl(mechanism)), compression: 'snappy' });
    const queue = `secure-${randomUUID()}`;
    const came = new Promise<string>((resolve) => {
      ackline.consume({ queue, group: 'g' }, ({ message }) => resolve(new TextDecoder().decode(message.payload)));
    });
    await ackline.publish(queue, { payload: new TextEncoder().encode('over TLS') });
    expect(await came).toBe('over TLS');
  });

  it.each(MECHANISMS)('%s: a wrong password is named as a setting, and not repeated', async (mechanism) => {
    const why = await whyNot({ ...good, ...wanted(sasl(mechanism, WRONG)) });
    expect(why).toContain('KAFKA_SASL_PASSWORD');
    expect([why, ...lines].filter((line) => line.includes(WRONG))).toEqual([]);
  });

  it('a certificate that nobody here trusts is named, and where to name its authority', async () => {
    const why = await whyNot({ ...good, ssl: true, ...wanted(sasl('plain')) });
    expect(why).toContain('certificate is not trusted');
    expect(why).toContain('KAFKA_SSL_CA_FILE');
  });

  it('TLS on one side only, and a log-in that nobody asks for, are named', async () => {
    const plain = kafka.bootstrap.split(',');
    expect(await whyNot({ brokers: plain, ssl: true })).toContain('KAFKA_SSL');
    expect(await whyNot({ brokers: good.brokers })).toContain('does it ask for TLS or a log-in (KAFKA_SSL');
    expect(await whyNot({ brokers: plain, ...wanted(sasl('plain')) })).toContain('Kafka takes no log-in');
  });
});

function wanted(sasl: KafkaDriverOptions['sasl']): Pick<KafkaDriverOptions, 'sasl'> {
  return sasl ? { sasl } : {};
}
