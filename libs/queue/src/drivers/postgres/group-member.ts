import { randomUUID } from 'node:crypto';
import { BrokerUnavailableError, LeaseLostError } from '../../errors.js';
import type {
  GroupMember,
  GroupOptions,
  Lease,
  MemberStatus,
  PreviousEnd,
  Settlement,
  TakeLimit,
  TakenMessage,
} from '../../queue-driver.js';
import { takeStatement } from './take-statement.js';
import { toMessage } from './rows.js';
import type { MessageRow } from './rows.js';
import { SettlementGatherer } from './settlement-gatherer.js';
import { sqlState } from './store.js';
import type { Store } from './store.js';
import type { WakeUp } from './wake-up.js';

const PREVIOUS_ENDS: readonly PreviousEnd[] = ['none', 'nacked', 'crashed', 'crashed-alone'];
const UNIQUE_VIOLATION = '23505';

/** Asked this often while nothing comes and no hint does. */
const POLL_MS = 250;
/** `take` looks around this often, as the port says. */
const TAKE_MS = 1_000;
/** Settlements of one worker gather this long: a few statements a burst rather than one a message. */
const GATHER_MS = 2;
const MAX_SETTLE_BATCH = 1_000;
/** A worker says that it lives at least this often, whatever the visibility timeout. */
const MAX_HEARTBEAT_MS = 2_000;

/** A lease here is the row and its lease number: a later lease of the same worker on the same message fences it too. */
interface PostgresLease extends Lease {
  readonly seq: string;
  readonly leaseNumber: number;
  readonly suspect: boolean;
}

function leaseId({ seq, lease_number }: { readonly seq: string; readonly lease_number: number }): string {
  return `${seq}/${lease_number}`;
}

interface TakenRow extends MessageRow {
  readonly lease_number: number;
  readonly delivery_count: number;
  readonly first_seen_at: Date;
  readonly last_error_code: string | null;
  readonly previous_end: number;
}

type Fate = 'settled' | 'lease-lost';
interface ToSettle<Type extends Settlement['type'] = Settlement['type']> {
  readonly lease: PostgresLease;
  readonly settlement: Extract<Settlement, { type: Type }>;
}

/** One worker of a group. Its leases last as long as its row in `ackline.worker` is renewed, by the database's clock. */
export class PostgresGroupMember implements GroupMember {
  readonly workerId = randomUUID();
  readonly #held = new Map<string, PostgresLease>();
  // A kind of settlement each, so that one statement that fails decides nothing about another kind.
  readonly #acks = this.#gather<'ack'>((batch) => this.#write(ACK, 'ack', batch));
  readonly #nacks = this.#gather<'nack'>((batch) =>
    this.#write(
      NACK,
      'nack',
      batch,
      batch.map(({ settlement }) => settlement.delayMs),
      batch.map(({ settlement }) => settlement.errorCode),
    ),
  );
  readonly #rejects = this.#gather<'reject'>((batch) =>
    this.#write(
      REJECT,
      'reject',
      batch,
      batch.map(({ settlement }) => settlement.reason),
      batch.map(({ settlement }) => settlement.errorCode),
    ),
  );
  #listener: (lease: Lease) => void = () => undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  /** Monotonic time at which the last heartbeat that succeeded was sent. */
  #renewedAt = 0;
  #away: string | undefined;
  #suspectsWait = true;
  #left: Promise<void> | undefined;

  private constructor(
    private readonly store: Store,
    private readonly wakeUp: WakeUp,
    private readonly groupId: number,
    private readonly options: GroupOptions,
  ) {}

  static async join(
    store: Store,
    wakeUp: WakeUp,
    groupId: number,
    options: GroupOptions,
  ): Promise<PostgresGroupMember> {
    const member = new PostgresGroupMember(store, wakeUp, groupId, options);
    await member.#beat();
    member.#scheduleHeartbeat();
    return member;
  }

  async take(limit: TakeLimit, signal: AbortSignal): Promise<readonly TakenMessage[]> {
    const until = performance.now() + TAKE_MS;
    while (!signal.aborted) {
      const taken = await this.#takeDue(limit);
      if (taken.length > 0) return taken;
      const left = until - performance.now();
      if (left <= 0) break;
      await this.wakeUp.sleep(this.options.queue, Math.min(POLL_MS, left), signal);
    }
    return [];
  }

  async settle(lease: Lease, settlement: Settlement): Promise<void> {
    const held = this.#held.get(lease.id);
    if (!held) throw new LeaseLostError('the lease is lost: the message is another worker’s by now.');
    const fate = await this.#gathered(held, settlement);
    this.#held.delete(lease.id);
    if (fate === 'lease-lost') throw new LeaseLostError('the lease is lost: the message is another worker’s by now.');
    if (settlement.type === 'nack' && settlement.delayMs < POLL_MS)
      this.wakeUp.hint(this.options.queue, settlement.delayMs);
  }

  async release(leases: readonly Lease[]): Promise<void> {
    const held = leases.map(({ id }) => this.#held.get(id)).filter((lease) => lease !== undefined);
    if (held.length === 0) return;
    await this.store.query(
      `update ackline.delivery d
          set worker_id = null, lane = null, alone = false, delivery_count = d.delivery_count - 1
         from unnest($3::bigint[], $4::int[]) as l (seq, lease_number)
        where d.group_id = $1 and d.worker_id = $2 and d.seq = l.seq and d.lease_number = l.lease_number`,
      [this.groupId, this.workerId, held.map(({ seq }) => seq), held.map(({ leaseNumber }) => leaseNumber)],
      'release',
    );
    for (const { id } of held) this.#held.delete(id);
    this.wakeUp.hint(this.options.queue);
  }

  onLeaseLost(listener: (lease: Lease) => void): void {
    this.#listener = listener;
  }

  status(): MemberStatus {
    return this.#away === undefined ? { consuming: true } : { consuming: false, why: this.#away };
  }

  leave(_deadlineMs: number): Promise<void> {
    this.#left ??= this.#leave();
    return this.#left;
  }

  #gather<Type extends Settlement['type']>(
    write: (batch: readonly ToSettle<Type>[]) => Promise<readonly Fate[]>,
  ): SettlementGatherer<ToSettle<Type>, Fate> {
    return new SettlementGatherer(GATHER_MS, MAX_SETTLE_BATCH, write);
  }

  #gathered(lease: PostgresLease, settlement: Settlement): Promise<Fate> {
    switch (settlement.type) {
      case 'ack':
        return this.#acks.add({ lease, settlement });
      case 'nack':
        return this.#nacks.add({ lease, settlement });
      case 'reject':
        return this.#rejects.add({ lease, settlement });
    }
  }

  async #takeDue(limit: TakeLimit): Promise<readonly TakenMessage[]> {
    const holdsSuspect = [...this.#held.values()].some(({ suspect }) => suspect);
    if (this.#suspectsWait && !holdsSuspect) {
      const suspect = await this.#lease({ messages: 1, bytes: limit.bytes }, true);
      if (suspect.length > 0) return suspect;
      this.#suspectsWait = false;
    }
    return this.#lease(limit, false);
  }

  async #lease(limit: TakeLimit, suspects: boolean): Promise<readonly TakenMessage[]> {
    const statement = takeStatement(this.options.order, suspects);
    let rows: readonly TakenRow[];
    try {
      rows = await this.store.query<TakenRow>(
        statement.text,
        [this.groupId, this.workerId, limit.messages, limit.bytes],
        statement.name,
      );
    } catch (error) {
      // Another worker leased a message of the same key at the same moment: look again.
      if (sqlState(error) === UNIQUE_VIOLATION) return [];
      throw error;
    }
    return rows.map((row) => this.#taken(row, suspects));
  }

  #taken(row: TakenRow, suspect: boolean): TakenMessage {
    const lease: PostgresLease = { id: leaseId(row), seq: row.seq, leaseNumber: row.lease_number, suspect };
    this.#held.set(lease.id, lease);
    return {
      lease,
      message: toMessage(this.options.queue, row),
      deliveryCount: row.delivery_count,
      firstSeenAt: row.first_seen_at,
      lastErrorCode: row.last_error_code ?? undefined,
      previousEnd: PREVIOUS_ENDS[row.previous_end]!,
    };
  }

  /** One statement for what was gathered; each row stands or falls by itself. */
  async #write(
    statement: string,
    name: string,
    batch: readonly { readonly lease: PostgresLease }[],
    ...columns: readonly unknown[][]
  ): Promise<readonly Fate[]> {
    const rows = await this.store.query<{ seq: string; lease_number: number }>(
      statement,
      [
        this.groupId,
        this.workerId,
        batch.map(({ lease }) => lease.seq),
        batch.map(({ lease }) => lease.leaseNumber),
        ...columns,
      ],
      name,
    );
    const settled = new Set(rows.map(leaseId));
    return batch.map(({ lease }) => (settled.has(lease.id) ? 'settled' : 'lease-lost'));
  }

  get #heartbeatMs(): number {
    return Math.min(this.options.visibilityTimeoutMs / 4, MAX_HEARTBEAT_MS);
  }

  #scheduleHeartbeat(): void {
    this.#heartbeat = setTimeout(() => {
      void this.#tick().finally(() => {
        if (!this.#left) this.#scheduleHeartbeat();
      });
    }, this.#heartbeatMs);
  }

  async #tick(): Promise<void> {
    this.#judgeOwnLeases();
    try {
      await this.#beat();
      this.#away = undefined;
    } catch (error) {
      this.#away = error instanceof BrokerUnavailableError ? error.message : String(error);
      this.#judgeOwnLeases();
    }
  }

  /** Says that this worker lives, and takes away the leases of those of the group that no longer do. */
  async #beat(): Promise<void> {
    const sentAt = performance.now();
    const [row] = await this.store.query<{ renewed: boolean; suspects: boolean }>(
      BEAT,
      [this.workerId, this.groupId, this.options.visibilityTimeoutMs],
      'beat',
    );
    // A row that had to be made again was taken away, and the leases with it.
    if (!row!.renewed) this.#loseAll();
    this.#renewedAt = sentAt;
    await this.store.query(REAP, [this.groupId], 'reap');
    if (row!.suspects) this.#suspectsWait = true;
  }

  /** Past the visibility timeout since the last heartbeat was sent, others may hold what this worker took (promise 3). */
  #judgeOwnLeases(): void {
    if (performance.now() - this.#renewedAt > this.options.visibilityTimeoutMs) this.#loseAll();
  }

  #loseAll(): void {
    const lost = [...this.#held.values()];
    this.#held.clear();
    for (const lease of lost) this.#listener(lease);
  }

  /** The worker's row goes with its leases, released without being counted: a clean leave is no death. */
  async #leave(): Promise<void> {
    clearTimeout(this.#heartbeat);
    const held = [...this.#held.values()];
    try {
      await this.release(held);
      await this.store.query('delete from ackline.worker where id = $1', [this.workerId], 'leave');
    } catch {
      // The database is away: the leases run out by themselves.
    }
  }
}

const ACK = `
  delete from ackline.delivery d using unnest($3::bigint[], $4::int[]) as l (seq, lease_number)
   where d.group_id = $1 and d.worker_id = $2 and d.seq = l.seq and d.lease_number = l.lease_number
  returning d.seq, d.lease_number`;

const NACK = `
  update ackline.delivery d
     set worker_id = null, lane = null, alone = false, previous_end = 1, last_error_code = l.error_code,
         due_at = clock_timestamp() + l.delay_ms * interval '1 millisecond'
    from unnest($3::bigint[], $4::int[], $5::float8[], $6::text[]) as l (seq, lease_number, delay_ms, error_code)
   where d.group_id = $1 and d.worker_id = $2 and d.seq = l.seq and d.lease_number = l.lease_number
  returning d.seq, d.lease_number`;

/** The dead letter is stored by the statement that settles: both or neither (promise 6). */
const REJECT = `
  with gone as (
    delete from ackline.delivery d
     using unnest($3::bigint[], $4::int[], $5::text[], $6::text[]) as l (seq, lease_number, reason, error_code)
     where d.group_id = $1 and d.worker_id = $2 and d.seq = l.seq and d.lease_number = l.lease_number
    returning d.*, l.reason, l.error_code
  ), stored as (
    insert into ackline.dead_letter (group_id, id, seq, key, headers, payload, reason, error_code, delivery_count,
                                     redrive_count, published_at, first_seen_at, dead_at)
    select g.group_id, m.id, m.seq, m.key, m.headers, m.payload, g.reason, g.error_code, g.delivery_count,
           g.redrive_count, m.published_at, g.first_seen_at, clock_timestamp()
      from gone g join ackline.message m using (seq)
  )
  select seq, lease_number from gone`;

const BEAT = `
  with renewed as (
    update ackline.worker set alive_until = clock_timestamp() + $3 * interval '1 millisecond'
     where id = $1 returning id
  ), made as (
    insert into ackline.worker (id, group_id, alive_until)
    select $1, $2, clock_timestamp() + $3 * interval '1 millisecond' where not exists (select from renewed)
  )
  select exists (select from renewed) as renewed,
         exists (select from ackline.delivery d where d.group_id = $2 and d.worker_id is null and d.previous_end >= 2) as suspects`;

/**
 * Leases of workers that are not heard of any more become suspects, due at once. The candidates are read first and
 * compared again at the update, so that a row leased anew in between is left alone.
 */
const REAP = `
  with dead as (
    delete from ackline.worker where group_id = $1 and alive_until < clock_timestamp() returning id
  ), orphaned as (
    select d.seq, d.worker_id, d.lease_number from ackline.delivery d
     where d.group_id = $1 and d.worker_id is not null
       and (d.worker_id in (select id from dead) or not exists (select from ackline.worker w where w.id = d.worker_id))
  )
  update ackline.delivery d
     set worker_id = null, lane = null, alone = false, previous_end = case when d.alone then 3 else 2 end,
         due_at = clock_timestamp()
    from orphaned o
   where d.group_id = $1 and d.seq = o.seq and d.worker_id = o.worker_id and d.lease_number = o.lease_number`;
