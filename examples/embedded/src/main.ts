/**
 * A queue inside one process, without a server: ten orders, of which one fails twice, one is hopeless, and one is
 * delayed. `npm start -w examples/embedded`
 *
 * The memory driver keeps nothing when the process ends. With DATABASE_URL the same program keeps everything in
 * PostgreSQL: nothing else changes.
 */
import { Ackline, RejectError, jsonMessage, readJson } from 'ackline';
import type { QueueDriver } from 'ackline';
import { driverFromEnvironment } from 'ackline/environment';
import { MemoryStore } from 'ackline/memory';

interface Order {
  readonly item: string;
  readonly pieces: number;
}

const driver: QueueDriver = process.env['DATABASE_URL'] ? await driverFromEnvironment() : new MemoryStore().driver();
const ackline = new Ackline({ driver });
const queue = 'orders';
const group = 'packing';

/** What is wrong with the world until somebody mends it. */
let shelfIsEmpty = true;

const consumer = ackline.consume(
  { queue, group, concurrency: 4, backoff: { baseMs: 100, maxMs: 1_000 } },
  async ({ message, deliveryCount }) => {
    const { item, pieces } = readJson(message) as Order;
    if (item === 'unicorn' && shelfIsEmpty) throw new RejectError('no_such_item'); // hopeless: a dead letter at once
    if (item === 'glass' && deliveryCount < 3) throw new Error('it broke'); // delivered again, after a backoff
    await new Promise((resolve) => setTimeout(resolve, 20));
    console.log(`packed ${pieces} × ${item}${deliveryCount > 1 ? `, at delivery ${deliveryCount}` : ''}`);
  }, // returned: acked
);

const orders: readonly Order[] = [
  ...['book', 'lamp', 'chair', 'glass', 'unicorn', 'kettle', 'rope', 'bell', 'drum'].map((item) => ({
    item,
    pieces: 1,
  })),
];
await ackline.publish(
  queue,
  orders.map((order) => jsonMessage(order, { key: order.item })),
);
await ackline.publish(queue, jsonMessage({ item: 'cake', pieces: 2 }, { delayMs: 500 })); // not before half a second

await allSettled();
const letters = ackline.deadLetters(queue, group);
for (const { errorCode, count } of await letters.countByError()) console.log(`dead letters: ${count} × ${errorCode}`);

shelfIsEmpty = false; // mended: now it can be delivered again
console.log(`redriven: ${await letters.redrive({ errorCode: 'no_such_item' }, { actor: 'the example' })}`);
await allSettled();
console.log(`done; the consumer is ${consumer.status().state}`);
await ackline.close();

/** Until nothing is left to do. A service would rather run until it is told to stop. */
async function allSettled(): Promise<void> {
  for (;;) {
    const { ready, waiting, inFlight } = await ackline.stats(queue, group);
    if (consumer.status().state === 'consuming' && ready + waiting + inFlight === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
