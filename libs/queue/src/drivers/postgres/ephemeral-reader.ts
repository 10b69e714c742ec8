import { randomUUID } from 'node:crypto';
import type { Message } from '../../message.js';
import type { EphemeralOptions, EphemeralReader, TakeLimit } from '../../queue-driver.js';
import { ensureGroup } from './ensure-group.js';
import { MESSAGE_COLUMNS, toMessage } from './rows.js';
import type { MessageRow } from './rows.js';
import type { Store } from './store.js';
import type { WakeUp } from './wake-up.js';

/** Readers that stop renewing are forgotten after a minute: see maintenance.ts. */
const ALIVE_MS = 60_000;
const RENEW_MS = 10_000;
const POLL_MS = 250;
const TAKE_MS = 1_000;
/** After being forgotten, messages this far behind the position are looked at again, for those that committed late. */
const LOOK_BACK = 1_000;

/**
 * A broadcast reader: a group of its own that lasts as long as it is renewed. What one `take` gave is deleted by the
 * next, so a connection that breaks in between loses nothing.
 */
export class PostgresEphemeralReader implements EphemeralReader {
  readonly #name = `ephemeral-${randomUUID()}`;
  #groupId: number | undefined;
  #given: string[] = [];
  #renewedAt = 0;
  /** The last seqs that were given, in order of giving: its own position, for when the group has been forgotten. */
  #recent = new Set<string>();
  #highest = 0n;
  /** Nothing at or before it is this reader's. */
  #floor = 0n;
  #closed: Promise<void> | undefined;

  private constructor(
    private readonly store: Store,
    private readonly wakeUp: WakeUp,
    private readonly options: EphemeralOptions,
  ) {}

  static async open(store: Store, wakeUp: WakeUp, options: EphemeralOptions): Promise<PostgresEphemeralReader> {
    const reader = new PostgresEphemeralReader(store, wakeUp, options);
    const { from } = options;
    await (typeof from === 'string' ? reader.#makeGroup(from, 0n) : reader.#makeGroup('last', BigInt(from.last)));
    return reader;
  }

  async take(limit: TakeLimit, signal: AbortSignal): Promise<readonly Message[]> {
    const until = performance.now() + TAKE_MS;
    while (!signal.aborted) {
      await this.#renew();
      const rows = await this.#next(limit);
      if (rows.length > 0) return rows.map((row) => toMessage(this.options.queue, row));
      const left = until - performance.now();
      if (left <= 0) break;
      await this.wakeUp.sleep(this.options.queue, Math.min(POLL_MS, left), signal);
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

  async #next(limit: TakeLimit): Promise<readonly MessageRow[]> {
    if (this.#given.length > 0) {
      await this.store.query(
        'delete from ackline.delivery where group_id = $1 and seq = any($2::bigint[])',
        [this.#groupId, this.#given],
        'ephemeral_seen',
      );
      this.#given = [];
    }
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
    const fresh = rows.filter(({ seq }) => !this.#recent.has(seq));
    for (const { seq } of fresh) this.#remember(seq);
    return fresh;
  }

  #remember(seq: string): void {
    this.#recent.add(seq);
    if (BigInt(seq) > this.#highest) this.#highest = BigInt(seq);
    if (this.#recent.size > LOOK_BACK) this.#recent.delete(this.#recent.values().next().value!);
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
    const behind = this.#highest - BigInt(LOOK_BACK);
    await this.#makeGroup('after', behind > this.#floor ? behind : this.#floor);
  }

  async #makeGroup(from: 'beginning' | 'latest' | 'last' | 'after', last: bigint): Promise<void> {
    const { queue } = this.options;
    const isFirst = this.#groupId === undefined;
    this.#groupId = await ensureGroup(this.store, { queue, name: this.#name, from, last, aliveMs: ALIVE_MS });
    this.#renewedAt = performance.now();
    if (isFirst && from !== 'beginning') {
      const [row] = await this.store.query<{ newest: string }>(
        `select coalesce(
           (select min(d.seq) - 1 from ackline.delivery d where d.group_id = $2),
           (select max(m.seq) from ackline.message m join ackline.queue q on q.id = m.queue_id where q.name = $1),
           0) as newest`,
        [queue, this.#groupId],
      );
      this.#floor = BigInt(row!.newest);
    }
  }
}
