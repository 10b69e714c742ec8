import { QueueEnvironmentError, readKafkaEnvironment } from 'ackline/environment';
import type { KafkaEnvironment } from 'ackline/environment';
import { ConfigurationError } from '../environment/configuration-error.js';

/** How the brokers are reached. */
export type KafkaConnection = KafkaEnvironment;

/**
 * The Kafka that the environment asks for, by the variables that the `ackline` command reads too; undefined without
 * `KAFKA_BROKERS`: the queue lives in PostgreSQL.
 * @throws ConfigurationError that names every bad variable, and repeats no secret.
 */
export function readKafkaConnection(env: NodeJS.ProcessEnv = process.env): KafkaConnection | undefined {
  try {
    return readKafkaEnvironment(env);
  } catch (error) {
    if (error instanceof QueueEnvironmentError) throw new ConfigurationError(error.problems);
    throw error;
  }
}
