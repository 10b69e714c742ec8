// #region first
import { Ackline, jsonMessage, readJson } from 'ackline';
import { postgresDriver } from 'ackline/postgres';

const ackline = new Ackline({ driver: postgresDriver({ connectionString: process.env.DATABASE_URL! }) });

ackline.consume({ queue: 'orders', group: 'invoices' }, async ({ message, signal }) => {
  await sendInvoice(readJson(message), signal); // returns: acked; throws: delivered again, at last a dead letter
});

await ackline.publish('orders', jsonMessage({ order: 4711 }, { key: 'customer-7' })); // durable when it resolves
// #endregion

declare function sendInvoice(order: unknown, signal: AbortSignal): Promise<void>;
