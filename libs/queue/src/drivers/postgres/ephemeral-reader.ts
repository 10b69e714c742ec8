import { randomUUID } from 'node:crypto';
import type { Message } from '../../message.js';
import type { EphemeralOptions, EphemeralReader, TakeLimit } from '../../queue-driver.js';
import { ensureGroup } from './ensure-group.js';
import { ReaderPosition } from './reader-position.js';
import { MESSAGE_COLUMNS, toMessage } from './rows.js';
import type { MessageRow } from './rows.js';
import type { Store } from './store.js';
import type { WakeUp } from './wake-up.js';

/** Readers that stop renewing are forgotten after a minute: see maintenance.ts. */
const ALIVE_MS = 60_000;
const RENEW_MS = 10_000;
const POLL_MS = 250;
const TAKE_MS = 1_000;

/**
 * A broadcast reader: a group of its own that lasts as long as it is renewed. What one `take` gave is deleted by the
 * next, so a connection that breaks in between loses nothing. Readers from the latest end share one: `shared-readers.ts`.
 */
export class PostgresEphemeralReader implements EphemeralReader {
  readonly #name = `ephemeral-${randomUUID()}`;
  #groupId: number | undefined;
  #given: string[] = [];
  #renewedAt = 0;
  #closed: Promise<void> | undefined;

  private constructor(
    private readonly store: Store,
    private readonly wakeUp: WakeUp,
    private readonly queue: string,
    /** Its own position, for when the group has been forgotten. */
    private readonly position: ReaderPosition,
  ) {}

  static async open(store: Store, wakeUp: WakeUp, { queue, from }: EphemeralOptions): Promise<PostgresEphemeralReader> {
    const reader = new PostgresEphemeralReader(store, wakeUp, queue, new ReaderPosition());
    await (typeof from === 'string' ? reader.#makeGroup(from, 0n) : reader.#makeGroup('last', BigInt(from.last)));
    if (from !== 'beginning') reader.position.floor = await reader.#startOf();
    return reader;
  }

  /** Goes on where another reader of the queue got to. */
  static async resume(
    store: Store,
    wakeUp: WakeUp,
    queue: string,
    position: ReaderPosition,
  ): Promise<PostgresEphemeralReader> {
    const reader = new PostgresEphemeralReader(store, wakeUp, queue, position);
    await reader.#comeBack();
    return reader;
  }

  async take(limit: TakeLimit, signal: AbortSignal): Promise<readonly Message[]> {
    const rows = await this.takeRows(limit, signal);
    return rows.map((row) => toMessage(this.queue, row));
  }

  async takeRows(limit: TakeLimit, signal: AbortSignal): Promise<readonly MessageRow[]> {
    const until = performance.now() + TAKE_MS;
    while (!signal.aborted) {
      await this.#renew();
      const rows = await this.#next(limit);
      if (rows.length > 0) return rows;
      const left = until - performance.now();
      if (left <= 0) break;
      await this.wakeUp.sleep(this.queue, Math.min(POLL_MS, left), signal);
    }
    return [];
  }

  close(_deadlineMs: number): Promise<void> {
    this.#closed ??= this.store
      .query(
        'with gone as (delete from ackline.delivery where group_id = $1) delete from ackline.consumer_group where id = $1',
        [this.#groupId],
      )
      .then(
        () => undefined,
        () => undefined,
      );
    return this.#closed;
  }

  /** The seqs of what is there and was not given yet, and the newest seq of the queue. */
  async waiting(): Promise<{ readonly seqs: ReadonlySet<string>; readonly newest: bigint }> {
    await this.#forgetGiven();
    const [row] = await this.store.query<{ seqs: string[]; newest: string }>(
      `select array(select d.seq from ackline.delivery d where d.group_id = $2)::text[] as seqs,
              coalesce((select max(m.seq) from ackline.message m join ackline.queue q on q.id = m.queue_id
                         where q.name = $1), 0) as newest`,
      [this.queue, this.#groupId],
    );
    return { seqs: new Set(row!.seqs), newest: BigInt(row!.newest) };
  }

  async #next(limit: TakeLimit): Promise<readonly MessageRow[]> {
    await this.#forgetGiven();
    const rows = await this.store.query<MessageRow>(
      `select ${MESSAGE_COLUMNS} from (
         select d.seq, row_number() over in_order as place, sum(d.bytes) over in_order as bytes_so_far
           from (select seq, bytes from ackline.delivery
                  where group_id = $1 and due_at <= now() order by seq limit $2) d
         window in_order as (order by d.seq)
       ) fitting join ackline.message m using (seq)
       where place = 1 or bytes_so_far <= $3
       order by m.seq`,
      [this.#groupId, limit.messages, limit.bytes],
      'ephemeral_next',
    );
    this.#given = rows.map(({ seq }) => seq);
    return rows.filter(({ seq }) => this.position.isNew(seq));
  }

  async #forgetGiven(): Promise<void> {
    if (this.#given.length === 0) return;
    await this.store.query(
      'delete from ackline.delivery where group_id = $1 and seq = any($2::bigint[])',
      [this.#groupId, this.#given],
      'ephemeral_seen',
    );
    this.#given = [];
  }

  async #renew(): Promise<void> {
    if (performance.now() - this.#renewedAt < RENEW_MS) return;
    const renewedAt = performance.now();
    const rows = await this.store.query(
      "update ackline.consumer_group set alive_until = clock_timestamp() + $2 * interval '1 millisecond' where id = $1 returning id",
      [this.#groupId, ALIVE_MS],
      'ephemeral_renew',
    );
    this.#renewedAt = renewedAt;
    if (rows.length === 0) await this.#comeBack();
  }

  /** The group was forgotten: it is made again from the reader's own position. */
  async #comeBack(): Promise<void> {
    this.#given = [];
    await this.#makeGroup('after', this.position.lookBackTo());
  }

  async #makeGroup(from: 'beginning' | 'latest' | 'last' | 'after', last: bigint): Promise<void> {
    const group = { queue: this.queue, name: this.#name, from, last, aliveMs: ALIVE_MS };
    this.#groupId = await ensureGroup(this.store, group);
    this.#renewedAt = performance.now();
  }

  /** The seq before the first one that is the new group's. */
  async #startOf(): Promise<bigint> {
    const [row] = await this.store.query<{ newest: string }>(
      `select coalesce(
         (select min(d.seq) - 1 from ackline.delivery d where d.group_id = $2),
         (select max(m.seq) from ackline.message m join ackline.queue q on q.id = m.queue_id where q.name = $1),
         0) as newest`,
      [this.queue, this.#groupId],
    );
    return BigInt(row!.newest);
  }
}
