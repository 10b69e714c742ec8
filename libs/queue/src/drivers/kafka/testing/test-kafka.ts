import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { availableEngine, startKafka } from '../../../../../../tools/kafka-local/kafka-cluster.mjs';

export interface TestKafka {
  readonly brokers: readonly string[];
  stop(): Promise<void>;
}

/** Whether tests can have a Kafka here: the one that TEST_KAFKA_BROKERS names, else one of their own. */
export async function canHaveKafka(): Promise<boolean> {
  if (process.env['TEST_KAFKA_BROKERS']) return true;
  if (await availableEngine()) return true;
  const why = 'Kafka tests need TEST_KAFKA_BROKERS, a Docker engine, or Java 17 and Maven.';
  if (process.env['CI']) throw new Error(why);
  process.stderr.write(`\n!!! SKIPPED: every test of the Kafka driver. ${why}\n\n`);
  return false;
}

/** The brokers that TEST_KAFKA_BROKERS names, else a cluster that ends with the tests. */
export async function testKafka(brokers: 1 | 3 = 1): Promise<TestKafka> {
  const given = process.env['TEST_KAFKA_BROKERS'];
  if (given) return { brokers: given.split(','), stop: () => Promise.resolve() };
  const dir = await mkdtemp(join(tmpdir(), 'kafka-test-'));
  const cluster = await startKafka({ brokers, dir });
  return { brokers: cluster.bootstrap.split(','), stop: () => cluster.stop({ remove: true }) };
}
