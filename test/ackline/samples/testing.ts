import type { Ackline } from 'ackline';
// #region testing
import assert from 'node:assert/strict';
import { jsonMessage } from 'ackline';
import { testQueue } from 'ackline/testing';

export async function anOrderIsInvoiced(): Promise<void> {
  const queue = testQueue(); // in memory, its time virtual: a backoff of an hour takes no time
  startInvoicing(queue.ackline);
  await queue.ackline.publish('orders', jsonMessage({ order: 7 }));
  await queue.drained(); // everything published is settled, and what handlers published too
  assert.deepEqual(
    queue.published('invoices').map(({ value }) => value),
    [{ order: 7 }],
  );
  assert.deepEqual(await queue.deadLetters('orders', 'invoicing'), []);
  await queue.close();
}
// #endregion

declare function startInvoicing(ackline: Ackline): void;
