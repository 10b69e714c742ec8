import type { QueueDriver } from '../../queue-driver.js';
import { KafkaDriver } from './kafka-driver.js';
import { resolveKafkaOptions } from './kafka-options.js';
import type { KafkaDriverOptions } from './kafka-options.js';

export type { KafkaLogLine, KafkaLogger } from './client/kafka-log.js';
export type { Compression } from './compression/codecs.js';
export type { KafkaDriverOptions } from './kafka-options.js';

/**
 * Queues on Apache Kafka (3.x, 4.x): single messages are leased, acked, delivered again and dead-lettered, with a small
 * ledger topic a group beside the queue's own.
 *
 * Nothing is connected before the first use.
 * @throws InvalidOptionError naming the option.
 */
export function kafkaDriver(options: KafkaDriverOptions): QueueDriver {
  return new KafkaDriver(resolveKafkaOptions(options));
}
