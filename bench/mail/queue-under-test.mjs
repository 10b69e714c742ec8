/** The queue that a measurement runs on: PostgreSQL's, or Kafka's of `TEST_KAFKA_BROKERS`, or of a broker started here. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Resolves with what workers are told of the queue, how a driver for it is opened, and how it ends.
 * @param {'postgres' | 'kafka'} name
 */
export async function queueUnderTest(name) {
  if (name === 'postgres') return { environment: {}, kafka: undefined, stop: () => Promise.resolve() };
  const named = process.env.TEST_KAFKA_BROKERS;
  const { bootstrap, stop } = named ? { bootstrap: named, stop: () => Promise.resolve() } : await ownKafka();
  return {
    environment: { KAFKA_BROKERS: bootstrap },
    kafka: { brokers: bootstrap.split(','), ssl: false, sasl: undefined },
    stop,
  };
}

async function ownKafka() {
  const { startKafka, stopKafka } = await import('../../tools/kafka-local/kafka-cluster.mjs');
  const dir = await mkdtemp(join(tmpdir(), 'bench-mail-kafka-'));
  const { bootstrap } = await startKafka({ brokers: 1, dir });
  return {
    bootstrap,
    stop: async () => {
      await stopKafka(dir);
      await rm(dir, { recursive: true, force: true });
    },
  };
}
