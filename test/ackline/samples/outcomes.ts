import type { Ackline } from 'ackline';
// #region outcomes
import { RedeliverError, RejectError, StopTheLineError, readJson } from 'ackline';

export function consumeOrders(ackline: Ackline): void {
  ackline.consume(
    { queue: 'orders', group: 'invoices', concurrency: 20, order: 'key' },
    async ({ message, signal }) => {
      const answer = await postInvoice(readJson(message), signal);
      if (answer.status === 422) throw new RejectError('invalid_invoice'); // hopeless: a dead letter now
      if (answer.status === 429) throw new RedeliverError('busy', 60_000); // again in a minute, no error
      if (answer.status === 401) throw new StopTheLineError('bad_credentials'); // our fault: pause, count no delivery
      if (!answer.ok) throw new Error(`HTTP ${answer.status}`); // again after the backoff
    },
  );
}
// #endregion

declare function postInvoice(order: unknown, signal: AbortSignal): Promise<Response>;
