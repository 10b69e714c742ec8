import { InvalidOptionError } from '../errors.js';
import type { QueueDriver } from '../queue-driver.js';
import { readQueueEnvironment } from './queue-environment.js';

/**
 * The driver that the environment asks for: Kafka with `KAFKA_BROKERS`, else PostgreSQL with `DATABASE_URL`. Loads that
 * driver's client and no other; connects to nothing before the first use.
 * @throws InvalidOptionError naming the variable, or the package that is not installed.
 */
export async function driverFromEnvironment(
  env: NodeJS.ProcessEnv = process.env,
  options: { readonly clientId?: string } = {},
): Promise<QueueDriver> {
  const { kafka, databaseUrl } = readQueueEnvironment(env);
  if (kafka) {
    const { kafkaDriver } = await installed('KAFKA_BROKERS', 'kafkajs', () => import('../drivers/kafka/index.js'));
    const { brokers, ssl, sasl, compression } = kafka;
    return kafkaDriver({ brokers, ssl, ...(sasl && { sasl }), ...(compression && { compression }), ...options });
  }
  if (databaseUrl === undefined) {
    throw new InvalidOptionError(
      'Neither KAFKA_BROKERS nor DATABASE_URL is set: set one, as host:9092 or postgres://user:password@host:5432/database.',
    );
  }
  const { postgresDriver } = await installed('DATABASE_URL', 'pg', () => import('../drivers/postgres/index.js'));
  return postgresDriver({ connectionString: databaseUrl });
}

/** Loads what needs an optional package. */
export async function installed<T>(setting: string, name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    if ((cause as { readonly code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    throw new InvalidOptionError(`${setting} is set, which needs the package ${name}: npm install ${name}.`, { cause });
  }
}
