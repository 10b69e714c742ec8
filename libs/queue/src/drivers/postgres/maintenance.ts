import type { Store } from './store.js';

const EVERY_MS = 60_000;
const CHUNK = 5_000;
/** Dead letters stay 30 days, their audit a year. */
const DEAD_LETTER_DAYS = 30;
const AUDIT_DAYS = 365;
/** Whoever holds it does the work for all. */
const MAINTENANCE_LOCK = 4_716_337_201_186_421;

/** Removes what no one needs any more: messages past their retention, readers that went away, old dead letters. */
export class Maintenance {
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(private readonly store: Store) {}

  start(): void {
    if (this.#timer || this.#closed) return;
    // Jitter, so that many processes do not ask at the same moment.
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        void this.run()
          .catch(() => undefined)
          .finally(() => this.start());
      },
      EVERY_MS * (0.5 + Math.random() / 2),
    );
    this.#timer.unref();
  }

  stop(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  /** One round; returns at once when another process is at it. */
  async run(): Promise<void> {
    await this.store.transaction(async (client) => {
      const { rows } = await client.query<{ mine: boolean }>('select pg_try_advisory_xact_lock($1) as mine', [
        MAINTENANCE_LOCK,
      ]);
      if (!rows[0]!.mine) return;
      await client.query(FORGET_READERS);
      await client.query(`delete from ackline.dead_letter where dead_at < now() - interval '${DEAD_LETTER_DAYS} days'`);
      await client.query(`delete from ackline.dead_letter_audit where at < now() - interval '${AUDIT_DAYS} days'`);
    });
    while (!this.#closed) {
      const gone = await this.store.query(EXPIRE_MESSAGES, [CHUNK]);
      if (gone.length < CHUNK) return;
    }
  }
}

const FORGET_READERS = `
  with gone as (
    delete from ackline.consumer_group where alive_until < clock_timestamp() returning id
  )
  delete from ackline.delivery where group_id in (select id from gone)`;

/** What waits or is leased is kept as long as it lasts (promise 14). */
const EXPIRE_MESSAGES = `
  delete from ackline.message where seq in (
    select m.seq from ackline.queue q
      cross join lateral (
        select m.seq from ackline.message m
         where m.queue_id = q.id and m.published_at < now() - q.retention_ms * interval '1 millisecond'
           and not exists (
             select from ackline.consumer_group g join ackline.delivery d on d.group_id = g.id and d.seq = m.seq
              where g.queue_id = q.id)
         order by m.seq limit $1
      ) m
    limit $1
  ) returning seq`;
