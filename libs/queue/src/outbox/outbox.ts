import type pg from 'pg';
import type { SqlExpression } from '../drivers/postgres/publish-expression.js';
import { enqueueExpression } from '../drivers/postgres/publish-expression.js';
import { migrate } from '../drivers/postgres/migrate.js';
import { Store } from '../drivers/postgres/store.js';
import { InvalidOptionError } from '../errors.js';
import type { OutgoingMessage, PreparedMessage } from '../message.js';
import { checkName } from '../names.js';
import { prepareMessage } from '../prepare-message.js';
import type { QueueDriver } from '../queue-driver.js';
import type { Tracing } from '../tracing.js';
import { OUTBOX_SCHEMA } from './schema.js';
import { execute } from './transaction.js';
import type { CallersTransaction } from './transaction.js';

/** A driver whose queue lives in the caller's database (feature `transactionalPublish`). */
export interface TransactionalDriver extends QueueDriver {
  enqueueExpression(
    queue: string,
    messages: readonly PreparedMessage[],
    firstParameter: number,
  ): Promise<SqlExpression>;
}

/** What an {@link Outbox} writes to. */
export interface OutboxOptions {
  /** The driver that the messages are for. */
  readonly driver: QueueDriver;
  /** The database of the callers' transactions. */
  readonly pool: pg.Pool;
  /** As `Ackline`'s: the trace of whoever enqueues goes with the message, over the relay, to its handlers. */
  readonly tracing?: Tracing;
}

/**
 * Publishes with a transaction of the caller's (promise 13): committed together, or not at all. On a driver that lives
 * in the same database it is a plain insert into the queue; otherwise a row that an {@link OutboxRelay} publishes.
 */
export class Outbox {
  readonly #driver: QueueDriver;
  readonly #store: Store;
  readonly #tracing: Tracing | undefined;
  #ready: Promise<void> | undefined;

  constructor({ driver, pool, tracing }: OutboxOptions) {
    this.#driver = driver;
    this.#tracing = tracing;
    this.#store = new Store({ pool });
  }

  /** Makes the tables. Called by the first `enqueue`; call it at start to find a database that is away. */
  migrate(): Promise<void> {
    this.#ready ??= migrate(this.#store, OUTBOX_SCHEMA).catch((error: unknown) => {
      this.#ready = undefined;
      throw error;
    });
    return this.#ready;
  }

  /**
   * Stores the messages with the transaction; they are published after its commit, ids unchanged, in commit order per
   * key. Resolves with their ids. On the PostgreSQL driver the transaction must be READ COMMITTED, PostgreSQL's default.
   * @throws InvalidMessageError (the transaction is untouched), or the database's error (it is aborted).
   */
  async enqueue(
    tx: CallersTransaction,
    queue: string,
    messages: OutgoingMessage | readonly OutgoingMessage[],
  ): Promise<readonly string[]> {
    const prepared = prepare(queue, messages);
    if (prepared.length > 0) {
      const { text, values } = await this.#expression(queue, prepared, 1);
      await execute(tx, `select ${text}`, values);
    }
    return prepared.map(({ id }) => id);
  }

  /**
   * What {@link enqueue} does, as an SQL expression to be put into a statement of the caller's own, where a trip to the
   * database is to be saved: the messages are stored when it is evaluated, which must be once, and published when that
   * statement's transaction commits. Its value says nothing. Parameters are numbered from `firstParameter`; `values` are
   * theirs, in order.
   * @throws InvalidMessageError; InvalidOptionError without a message.
   */
  async enqueueExpression(
    queue: string,
    messages: OutgoingMessage | readonly OutgoingMessage[],
    firstParameter = 1,
  ): Promise<SqlExpression> {
    const prepared = prepare(queue, messages);
    if (prepared.length === 0) throw new InvalidOptionError('enqueueExpression needs at least one message.');
    return this.#expression(queue, prepared, firstParameter);
  }

  #expression(queue: string, messages: readonly PreparedMessage[], firstParameter: number): Promise<SqlExpression> {
    const make = async (traced: readonly PreparedMessage[]): Promise<SqlExpression> => {
      if (isTransactional(this.#driver)) return this.#driver.enqueueExpression(queue, traced, firstParameter);
      await this.migrate();
      return enqueueExpression(queue, traced, firstParameter);
    };
    return this.#tracing ? this.#tracing.publish(queue, messages, make) : make(messages);
  }
}

function prepare(queue: string, messages: OutgoingMessage | readonly OutgoingMessage[]): readonly PreparedMessage[] {
  checkName('queue', queue);
  const list = Array.isArray(messages) ? (messages as readonly OutgoingMessage[]) : [messages as OutgoingMessage];
  return list.map(prepareMessage);
}

function isTransactional(driver: QueueDriver): driver is TransactionalDriver {
  return driver.features.transactionalPublish;
}
