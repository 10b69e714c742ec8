import type { QueueDriver } from 'ackline';
import { kafkaDriver } from 'ackline/kafka';
import { postgresDriver } from 'ackline/postgres';
import type { Logger } from '../logging/logger.js';
import type { KafkaConnection } from './kafka-settings.js';

export interface QueueLocation {
  readonly databaseUrl: string;
  /** Undefined: the queue lives in the database. */
  readonly kafka: KafkaConnection | undefined;
  /** Begins the names of its connections, e.g. `mail-eticket`. */
  readonly clientId: string;
  readonly logger: Logger;
}

/** The driver that the environment asks for. It connects to nothing before it is used. */
export function openQueueDriver({ databaseUrl, kafka, clientId, logger }: QueueLocation): QueueDriver {
  if (kafka === undefined) return postgresDriver({ connectionString: databaseUrl });
  const { brokers, ssl, sasl, compression } = kafka;
  return kafkaDriver({
    brokers,
    ssl,
    clientId,
    logger: ({ level, message, context }) => logger[level](context ?? {}, message),
    ...(sasl && { sasl }),
    ...(compression && { compression }),
  });
}
