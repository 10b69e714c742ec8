import type { Ackline, QueueDriver } from 'ackline';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Kysely } from 'kysely';
import type pg from 'pg';
// #region outbox
import { jsonMessage } from 'ackline';
import { Outbox, OutboxRelay } from 'ackline/outbox';

export async function placeOrder(outbox: Outbox, client: pg.PoolClient, order: Order): Promise<void> {
  await client.query('begin');
  await client.query('insert into orders (id, total) values ($1, $2)', [order.id, order.total]);
  await outbox.enqueue(client, 'orders', jsonMessage(order, { id: order.id, key: order.customer }));
  await client.query('commit'); // both, or neither
}
// #endregion

// #region orms
export async function withAnOrm(outbox: Outbox, kysely: Kysely<object>, drizzle: NodePgDatabase): Promise<void> {
  await kysely.transaction().execute((tx) => outbox.enqueue(tx, 'orders', jsonMessage({ order: 1 })));
  await drizzle.transaction((tx) => outbox.enqueue(tx, 'orders', jsonMessage({ order: 2 })));
}
// #endregion

// #region expression
export async function placeOrderInOneTrip(outbox: Outbox, pool: pg.Pool, order: Order): Promise<void> {
  const message = jsonMessage(order, { id: order.id, key: order.customer });
  const { text, values } = await outbox.enqueueExpression('orders', message, 3); // its first parameter is $3
  await pool.query(
    `with placed as (insert into orders (id, total) values ($1, $2) returning id) select id, ${text} from placed`,
    [order.id, order.total, ...values],
  );
}
// #endregion

// #region relay
export async function relayToKafka(pool: pg.Pool, driver: QueueDriver, ackline: Ackline): Promise<OutboxRelay> {
  await new Outbox({ driver, pool }).migrate();
  const relay = new OutboxRelay({ pool, ackline, onError: (error) => console.error('the relay waits', error) });
  relay.start(); // at the end: await relay.stop()
  return relay;
}
// #endregion

interface Order {
  readonly id: string;
  readonly customer: string;
  readonly total: number;
}
