/** An outbox relay as a process of its own: from PostgreSQL to Kafka. */
import { Ackline } from 'ackline';
import { OutboxRelay } from 'ackline/outbox';
import pg from 'pg';
import { openDriver } from './connection.mjs';

const { databaseUrl, connection, batchSize } = JSON.parse(process.argv[2]);
const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
pool.on('error', () => undefined);
const ackline = new Ackline({ driver: openDriver(connection) });
new OutboxRelay({ pool, ackline, batchSize, pollMs: 20 }).start();
