import type pg from 'pg';
import { migrate } from '../drivers/postgres/migrate.js';
import { Store } from '../drivers/postgres/store.js';
import { OUTBOX_SCHEMA } from './schema.js';
import { execute } from './transaction.js';
import type { CallersTransaction } from './transaction.js';

/** Remembers what a group has handled, in the handler's own transaction (promise 12). */
export class Inbox {
  readonly #store: Store;

  constructor(options: { readonly pool: pg.Pool }) {
    this.#store = new Store(options);
  }

  /** Makes the table. Call it once before the first message. */
  migrate(): Promise<void> {
    return migrate(this.#store, OUTBOX_SCHEMA);
  }

  /**
   * Whether this group handles this message for the first time; remembered when the transaction commits. While another
   * transaction handles the same message, waits for its end.
   */
  async firstTime(tx: CallersTransaction, group: string, messageId: string): Promise<boolean> {
    const rows = await execute(
      tx,
      'insert into ackline.inbox (consumer_group, message_id) values ($1, $2) on conflict do nothing returning 1 as first',
      [group, messageId],
    );
    return rows.length > 0;
  }

  /** Forgets what was handled longer ago; keep at least the queue's retention. Resolves with how many. */
  async forget(olderThanMs: number): Promise<number> {
    const rows = await this.#store.query(
      "delete from ackline.inbox where handled_at < clock_timestamp() - $1 * interval '1 millisecond' returning 1 as gone",
      [olderThanMs],
    );
    return rows.length;
  }
}
