import type {
  DeadLetter,
  DeadLetterAudit,
  DeadLetterFilter,
  DeadLetterReason,
  DeadLetterStore,
} from '../../queue-driver.js';
import type { Store } from './store.js';
import type { WakeUp } from './wake-up.js';

interface DeadLetterRow {
  readonly id: string;
  readonly seq: string;
  readonly key: string | null;
  readonly headers: Record<string, string>;
  readonly payload: Buffer;
  readonly reason: DeadLetterReason;
  readonly error_code: string;
  readonly delivery_count: number;
  readonly redrive_count: number;
  readonly published_at: Date;
  readonly first_seen_at: Date;
  readonly dead_at: Date;
}

const GROUP = `(select g.id from ackline.consumer_group g join ackline.queue q on q.id = g.queue_id where q.name = $1 and g.name = $2)`;

/** A filter as conditions on `l`, its values appended to `values`. */
function conditions(filter: DeadLetterFilter, values: unknown[]): string {
  const all = [`l.group_id = ${GROUP}`];
  const add = (condition: (place: string) => string, value: unknown): void => {
    if (value === undefined) return;
    values.push(value);
    all.push(condition(`$${values.length}`));
  };
  add((place) => `l.id = any(${place}::text[])`, filter.ids);
  add((place) => `l.key = ${place}`, filter.key);
  add((place) => `l.error_code = ${place}`, filter.errorCode);
  add((place) => `l.reason = ${place}`, filter.reason);
  add((place) => `l.dead_at < ${place}`, filter.deadBefore);
  add((place) => `l.dead_at > ${place}`, filter.deadAfter);
  return all.join(' and ');
}

/** Dead letters of one group; moving and auditing are one statement each, so each letter moves whole or stays. */
export class PostgresDeadLetterStore implements DeadLetterStore {
  constructor(
    private readonly store: Store,
    private readonly wakeUp: WakeUp,
    private readonly ready: () => Promise<void>,
    private readonly queue: string,
    private readonly group: string,
  ) {}

  async list(
    filter: DeadLetterFilter,
    page: { readonly limit: number; readonly after?: DeadLetter },
  ): Promise<readonly DeadLetter[]> {
    await this.ready();
    const values: unknown[] = [this.queue, this.group];
    let where = conditions(filter, values);
    if (page.after) {
      values.push(page.after.origin.split('/').at(-1));
      where += ` and (l.dead_at, l.seq) > ((select a.dead_at from ackline.dead_letter a where a.group_id = ${GROUP} and a.seq = $${values.length}::bigint), $${values.length}::bigint)`;
    }
    values.push(Math.min(page.limit, 1_000));
    const rows = await this.store.query<DeadLetterRow>(
      `select l.* from ackline.dead_letter l where ${where} order by l.dead_at, l.seq limit $${values.length}`,
      values,
    );
    return rows.map((row) => this.#toDeadLetter(row));
  }

  async countByError(
    filter: DeadLetterFilter,
  ): Promise<readonly { readonly errorCode: string; readonly count: number }[]> {
    await this.ready();
    const values: unknown[] = [this.queue, this.group];
    const where = conditions(filter, values);
    const rows = await this.store.query<{ error_code: string; count: string }>(
      `select l.error_code, count(*) as count from ackline.dead_letter l where ${where} group by 1 order by 2 desc, 1`,
      values,
    );
    return rows.map(({ error_code, count }) => ({ errorCode: error_code, count: Number(count) }));
  }

  async redrive(ids: readonly string[], actor: string): Promise<number> {
    await this.ready();
    // The message may have outlived its retention: it is stored again under its own seq where it is gone.
    const moved = await this.#act(
      `, kept as (
         insert into ackline.message (seq, queue_id, id, key, headers, payload, published_at)
         overriding system value
         select l.seq, (select id from ackline.queue where name = $1), l.id, l.key, l.headers, l.payload, l.published_at from gone l
         on conflict (seq) do nothing
       ), back as (
         insert into ackline.delivery (group_id, seq, key, bytes, due_at, redrive_count)
         select l.group_id, l.seq, l.key, octet_length(l.payload), clock_timestamp(), l.redrive_count + 1 from gone l
       )`,
      'redrive',
      ids,
      actor,
    );
    if (moved > 0) this.wakeUp.hint(this.queue);
    return moved;
  }

  async discard(ids: readonly string[], actor: string): Promise<number> {
    await this.ready();
    return this.#act('', 'discard', ids, actor);
  }

  async audit(limit: number): Promise<readonly DeadLetterAudit[]> {
    await this.ready();
    const rows = await this.store.query<{ at: Date; actor: string; action: 'redrive' | 'discard'; message_id: string }>(
      `select at, actor, action, message_id from ackline.dead_letter_audit where group_id = ${GROUP} order by at desc limit $3`,
      [this.queue, this.group, Math.min(limit, 10_000)],
    );
    return rows.map(({ at, actor, action, message_id }) => ({ at, actor, action, messageId: message_id }));
  }

  async #act(also: string, action: 'redrive' | 'discard', ids: readonly string[], actor: string): Promise<number> {
    const rows = await this.store.query<{ count: string }>(
      `with gone as (
         delete from ackline.dead_letter l where l.group_id = ${GROUP} and l.id = any($3::text[]) returning l.*
       )${also}, audited as (
         insert into ackline.dead_letter_audit (group_id, actor, action, message_id) select l.group_id, $4, $5, l.id from gone l
       )
       select count(*) as count from gone`,
      [this.queue, this.group, ids, actor, action],
    );
    return Number(rows[0]!.count);
  }

  #toDeadLetter(row: DeadLetterRow): DeadLetter {
    return {
      id: row.id,
      queue: this.queue,
      group: this.group,
      key: row.key ?? undefined,
      payload: row.payload,
      headers: row.headers,
      reason: row.reason,
      errorCode: row.error_code,
      deliveryCount: row.delivery_count,
      redriveCount: row.redrive_count,
      publishedAt: row.published_at,
      firstSeenAt: row.first_seen_at,
      deadAt: row.dead_at,
      origin: `${this.queue}/${row.seq}`,
    };
  }
}
