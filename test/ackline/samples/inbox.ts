import type { Ackline } from 'ackline';
import type pg from 'pg';
// #region inbox
import type { Inbox } from 'ackline/outbox';

export function bookOnce(ackline: Ackline, inbox: Inbox, pool: pg.Pool): void {
  ackline.consume({ queue: 'orders', group: 'ledger' }, async ({ message, group }) => {
    await inTransaction(pool, async (tx) => {
      if (!(await inbox.firstTime(tx, group, message.id))) return; // delivered again: already booked
      await tx.query('insert into bookings (order_id) values ($1)', [message.id]);
    });
  });
}
// #endregion

declare function inTransaction(pool: pg.Pool, work: (tx: pg.PoolClient) => Promise<void>): Promise<void>;
