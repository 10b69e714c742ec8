import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { BrokerUnavailableError, InvalidOptionError } from '../../errors.js';
import type { PreparedMessage } from '../../message.js';
import type {
  DeadLetterStore,
  DriverFeatures,
  EphemeralOptions,
  EphemeralReader,
  GroupMember,
  GroupOptions,
  GroupStats,
  QueueDriver,
} from '../../queue-driver.js';
import { PostgresDeadLetterStore } from './dead-letter-store.js';
import { ensureGroup } from './ensure-group.js';
import { PostgresEphemeralReader } from './ephemeral-reader.js';
import { PostgresGroupMember } from './group-member.js';
import { Maintenance } from './maintenance.js';
import { migrate } from './migrate.js';
import { publishExpression } from './publish-expression.js';
import type { SqlExpression } from './publish-expression.js';
import { QUEUE_SCHEMA } from './schema.js';
import { SharedReaders } from './shared-readers.js';
import { Store } from './store.js';
import { WakeUp } from './wake-up.js';

/** Give either; a pool that is given stays the caller's to end. */
export type PostgresDriverOptions = (
  | {
      readonly connectionString: string;
      /** Connections of this driver; default 10. One listens. */
      readonly maxConnections?: number;
    }
  | { readonly pool: pg.Pool }
) & {
  /** How long messages are kept (promise 14), for queues that this driver uses. Left out: 7 days, or what was set before. */
  readonly retentionMs?: number;
};

/** Statements bigger than this are sent in parts. */
const MAX_BATCH_MESSAGES = 1_000;
const MAX_BATCH_BYTES = 8 * 1024 * 1024;
/** Transactions of business code end some milliseconds after `enqueue`: when their hint is worth sending. */
const ENQUEUE_HINT_MS = 20;

/** The queue on PostgreSQL 13 or newer: tables in the schema `ackline`, made at the first call. */
export class PostgresDriver implements QueueDriver {
  readonly features: DriverFeatures = {
    name: 'postgres',
    durable: true,
    multiProcess: true,
    transactionalPublish: true,
    maxPayloadBytes: 64 * 1024 * 1024,
  };

  readonly #store: Store;
  readonly #wakeUp: WakeUp;
  readonly #maintenance: Maintenance;
  readonly #sharedReaders: SharedReaders;
  readonly #members = new Set<GroupMember>();
  readonly #readers = new Set<EphemeralReader>();
  readonly #retentionMs: number | undefined;
  readonly #made = new Set<string>();
  #ready: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: PostgresDriverOptions) {
    if (!('pool' in options) && !/^postgres(ql)?:\/\//.test(options.connectionString)) {
      throw new InvalidOptionError('connectionString must be a URL like postgres://user:password@host:5432/database.');
    }
    if (options.retentionMs !== undefined && !(options.retentionMs >= 1_000)) {
      throw new InvalidOptionError(`retentionMs is ${options.retentionMs}: use at least 1000.`);
    }
    this.#retentionMs = options.retentionMs;
    this.#store = new Store('pool' in options ? options : { maxConnections: 10, ...options });
    this.#wakeUp = new WakeUp(this.#store);
    this.#maintenance = new Maintenance(this.#store);
    this.#sharedReaders = new SharedReaders(this.#store, this.#wakeUp);
  }

  async start(signal?: AbortSignal): Promise<void> {
    for (;;) {
      try {
        return await this.#prepared();
      } catch (error) {
        if (!signal || signal.aborted || !(error instanceof BrokerUnavailableError)) throw error;
        await sleep(500, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  async publish(queue: string, messages: readonly PreparedMessage[]): Promise<void> {
    await this.#queuePrepared(queue);
    for (const batch of batches(messages)) {
      const { text, values } = publishExpression(queue, batch, { lockKeys: false });
      await this.#store.query(`select ${text}`, values, 'publish');
    }
    this.#wakeUp.hint(queue);
  }

  /**
   * The expression that stores messages inside a transaction of the caller's (promise 13): on its commit they are
   * published, in commit order per key. The transaction's isolation level must be READ COMMITTED.
   */
  async enqueueExpression(
    queue: string,
    messages: readonly PreparedMessage[],
    firstParameter: number,
  ): Promise<SqlExpression> {
    await this.#queuePrepared(queue);
    this.#wakeUp.hint(queue, ENQUEUE_HINT_MS);
    return publishExpression(queue, messages, { lockKeys: true, firstParameter });
  }

  async join(options: GroupOptions): Promise<GroupMember> {
    const { queue, group, from } = options;
    await this.#queuePrepared(queue);
    const groupId = await ensureGroup(this.#store, { queue, name: group, from, last: 0n, aliveMs: null });
    const member = await PostgresGroupMember.join(this.#store, this.#wakeUp, groupId, options);
    this.#members.add(member);
    this.#maintenance.start();
    return member;
  }

  async openEphemeral(options: EphemeralOptions): Promise<EphemeralReader> {
    await this.#prepared();
    const reader =
      options.from === 'latest'
        ? await this.#sharedReaders.open(options.queue)
        : await PostgresEphemeralReader.open(this.#store, this.#wakeUp, options);
    this.#readers.add(reader);
    this.#maintenance.start();
    return reader;
  }

  deadLetters(queue: string, group: string): DeadLetterStore {
    return new PostgresDeadLetterStore(this.#store, this.#wakeUp, () => this.#prepared(), queue, group);
  }

  async queues(): Promise<readonly { readonly queue: string; readonly groups: readonly string[] }[]> {
    await this.#prepared();
    return this.#store.query<{ queue: string; groups: string[] }>(
      `select q.name as queue, coalesce(array_agg(g.name order by g.name) filter (where g.alive_until is null and g.name is not null), '{}') as groups
         from ackline.queue q left join ackline.consumer_group g on g.queue_id = q.id
        group by q.name order by q.name`,
      [],
    );
  }

  async stats(queue: string, group: string): Promise<GroupStats> {
    await this.#prepared();
    const [row] = await this.#store.query<{
      ready: string;
      waiting: string;
      in_flight: string;
      oldest: number | null;
      dead: string;
    }>(
      `with g as (select g.id from ackline.consumer_group g join ackline.queue q on q.id = g.queue_id where q.name = $1 and g.name = $2)
       select count(*) filter (where d.worker_id is null and d.due_at <= now()) as ready,
              count(*) filter (where d.worker_id is null and d.due_at > now()) as waiting,
              count(*) filter (where d.worker_id is not null) as in_flight,
              (extract(epoch from now() - (select m.published_at from ackline.message m where m.seq = min(d.seq))) * 1000)::float8 as oldest,
              (select count(*) from ackline.dead_letter l where l.group_id in (select id from g)) as dead
         from ackline.delivery d where d.group_id in (select id from g)`,
      [queue, group],
    );
    return {
      queue,
      group,
      ready: Number(row!.ready),
      waiting: Number(row!.waiting),
      inFlight: Number(row!.in_flight),
      deadLetters: Number(row!.dead),
      oldestAgeMs: row!.oldest === null ? undefined : Math.max(0, row!.oldest),
    };
  }

  async ping(deadlineMs: number): Promise<void> {
    const late = new AbortController();
    const timeout = sleep(deadlineMs, undefined, { signal: late.signal }).then(() => {
      throw new BrokerUnavailableError(`PostgreSQL did not answer within ${deadlineMs} ms.`);
    });
    timeout.catch(() => undefined);
    try {
      await Promise.race([this.#store.query('select 1', []), timeout]);
    } finally {
      late.abort();
    }
  }

  close(deadlineMs: number): Promise<void> {
    this.#closing ??= this.#close(deadlineMs);
    return this.#closing;
  }

  async #close(deadlineMs: number): Promise<void> {
    this.#maintenance.stop();
    const goodbye = Promise.all([
      ...[...this.#members].map((member) => member.leave(deadlineMs)),
      ...[...this.#readers].map((reader) => reader.close(deadlineMs)),
    ]);
    const bounded = (work: Promise<unknown>, ms: number): Promise<unknown> => {
      const stop = new AbortController();
      return Promise.race([
        work.catch(() => undefined).finally(() => stop.abort()),
        sleep(ms, undefined, { signal: stop.signal }).catch(() => undefined),
      ]);
    };
    await bounded(goodbye, deadlineMs * 0.7);
    this.#wakeUp.close();
    await bounded(this.#store.end(), deadlineMs * 0.3);
  }

  /**
   * The queue's row is made before, and outside, any transaction of a caller's: made inside one it would keep every
   * other publisher waiting for that transaction's end.
   */
  async #queuePrepared(queue: string): Promise<void> {
    await this.#prepared();
    if (this.#made.has(queue)) return;
    await this.#store.query('select ackline.ensure_queue($1, $2)', [queue, this.#retentionMs ?? null]);
    this.#made.add(queue);
  }

  /** Tables are made once a process; a failure is tried again by the next call. */
  #prepared(): Promise<void> {
    this.#ready ??= migrate(this.#store, QUEUE_SCHEMA).catch((error: unknown) => {
      this.#ready = undefined;
      throw error;
    });
    return this.#ready;
  }
}

function* batches(messages: readonly PreparedMessage[]): Generator<readonly PreparedMessage[]> {
  let batch: PreparedMessage[] = [];
  let bytes = 0;
  for (const message of messages) {
    if (
      batch.length > 0 &&
      (batch.length === MAX_BATCH_MESSAGES || bytes + message.payload.byteLength > MAX_BATCH_BYTES)
    ) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(message);
    bytes += message.payload.byteLength;
  }
  if (batch.length > 0) yield batch;
}
