import type { QueueDriver } from 'ackline';
import { postgresDriver } from 'ackline/postgres';
import { ConfigurationError } from '../environment/configuration-error.js';

export interface QueueLocation {
  readonly databaseUrl: string;
  readonly kafkaBrokers?: string | undefined;
}

/**
 * The driver that the environment asks for: PostgreSQL, in the same database as the service's own data.
 * @throws ConfigurationError when `KAFKA_BROKERS` is set.
 */
export function openQueueDriver({ databaseUrl, kafkaBrokers }: QueueLocation): QueueDriver {
  if (kafkaBrokers) {
    throw new ConfigurationError([
      'KAFKA_BROKERS is set, but this version has no Kafka driver; it must be unset, and the queue then lives in PostgreSQL',
    ]);
  }
  return postgresDriver({ connectionString: databaseUrl });
}
