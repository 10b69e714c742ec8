import type { QueueDriver } from 'ackline';
import { poolByFile } from './pool-by-file.js';
import type { RoomPlace } from './room-place.js';

export interface OpenRoomQueueOptions {
  /** Begins the name of this process's connections on Kafka: `chat-server`, `chat-client`. */
  readonly clientId: string;
  /** Most connections to PostgreSQL; one listens. */
  readonly maxConnections: number;
}

/** A driver for the room's topic. */
export interface RoomQueue {
  readonly driver: QueueDriver;
  /** Where the topic is, in words for people and without credentials. */
  readonly where: string;
  /** Gives back what is left when the driver is closed. */
  release(): Promise<void>;
}

/** Users are the keys: four partitions let four readers of one broker's share go on beside each other. */
const PARTITIONS = 4;

// #region open-room-queue
/** Opens the queue where the settings say it is. Nothing is connected before the first use. */
export async function openRoomQueue(place: RoomPlace, options: OpenRoomQueueOptions): Promise<RoomQueue> {
  const nothingLeft = (): Promise<void> => Promise.resolve();
  if (place.kafka) {
    const { brokers, ssl, sasl, compression = 'snappy' } = place.kafka;
    // Loaded where it is used: a client on PostgreSQL starts without a Kafka client.
    const { kafkaDriver } = await import('ackline/kafka');
    const driver = kafkaDriver({
      brokers,
      ssl,
      clientId: options.clientId,
      partitions: PARTITIONS,
      compression,
      ...(sasl && { sasl }),
    });
    return { driver, where: `Kafka at ${brokers.join(', ')}`, release: nothingLeft };
  }
  const { postgresDriver } = await import('ackline/postgres');
  const { maxConnections } = options;
  if (place.databaseUrl !== undefined) {
    const driver = postgresDriver({ connectionString: place.databaseUrl, maxConnections });
    return { driver, where: `PostgreSQL at ${new URL(place.databaseUrl).host}`, release: nothingLeft };
  }
  const pool = poolByFile(place.connectionFile, maxConnections);
  return {
    driver: postgresDriver({ pool }),
    where: `the PostgreSQL of ${place.connectionFile}`,
    release: () => pool.end(),
  };
}
// #endregion
