// #region drivers
import { driverFromEnvironment } from 'ackline/environment';
import { kafkaDriver } from 'ackline/kafka';
import { MemoryStore } from 'ackline/memory';
import { postgresDriver } from 'ackline/postgres';

export const onPostgres = postgresDriver({ connectionString: 'postgres://user:password@db:5432/shop' });
export const onKafka = kafkaDriver({ brokers: ['kafka-1:9092', 'kafka-2:9092'], ssl: true });
export const inMemory = new MemoryStore().driver();
export const asTheEnvironmentSays = await driverFromEnvironment(); // KAFKA_BROKERS, else DATABASE_URL
// #endregion
