import type { Schema } from './migrate.js';

/**
 * The tables, one migration after the other; each runs once, in order, under an advisory lock (see migrate.ts).
 *
 * `message` holds every message of every queue once, for as long as the retention says. `delivery` holds a row for each
 * (group, message) not yet settled: what is settled is deleted, so the cost of taking follows what waits, not history.
 * Rows are updated and deleted at the rate of the traffic, hence the autovacuum settings: a hundredth of the table
 * or a thousand rows, whichever comes first, keeps dead rows few whatever the size.
 */
const MIGRATIONS: readonly string[] = [
  `
  create table ackline.queue (
    id int generated always as identity primary key,
    name text not null unique,
    retention_ms bigint not null
  );

  create table ackline.consumer_group (
    id int generated always as identity primary key,
    queue_id int not null references ackline.queue,
    name text not null,
    -- Of an ephemeral reader, until when it counts as there; null for a group that stays.
    alive_until timestamptz,
    unique (queue_id, name)
  );

  create table ackline.message (
    seq bigint generated always as identity primary key,
    queue_id int not null,
    id text not null,
    key text,
    headers jsonb not null,
    payload bytea not null,
    published_at timestamptz not null default clock_timestamp(),
    not_before timestamptz
  );
  create index message_of_queue on ackline.message (queue_id, seq);

  create table ackline.worker (
    id uuid primary key,
    group_id int not null,
    alive_until timestamptz not null
  ) with (fillfactor = 50);

  create table ackline.delivery (
    group_id int not null,
    seq bigint not null,
    key text,
    bytes int not null,
    due_at timestamptz not null,
    worker_id uuid,
    -- Counts leases, released ones too: tells a worker's lease from its later one of the same message.
    lease_number int not null default 0,
    -- Leased as the only suspect of its worker.
    alone boolean not null default false,
    -- While leased in a group ordered by key: that key, so that the index below lets one of a key be leased at a time.
    lane text,
    delivery_count int not null default 0,
    first_seen_at timestamptz,
    last_error_code text,
    -- How the delivery before ended: 0 none, 1 nacked, 2 crashed in company, 3 crashed alone.
    previous_end smallint not null default 0,
    redrive_count int not null default 0,
    primary key (group_id, seq)
  ) with (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
          autovacuum_vacuum_cost_delay = 1);
  create index delivery_due on ackline.delivery (group_id, due_at, seq) where worker_id is null and previous_end < 2;
  create index delivery_suspect on ackline.delivery (group_id, due_at, seq) where worker_id is null and previous_end >= 2;
  create index delivery_leased on ackline.delivery (group_id, worker_id) where worker_id is not null;
  create index delivery_of_key on ackline.delivery (group_id, key, seq) where key is not null;
  create unique index delivery_lane on ackline.delivery (group_id, lane) where lane is not null;

  create table ackline.dead_letter (
    group_id int not null references ackline.consumer_group,
    id text not null,
    seq bigint not null,
    key text,
    headers jsonb not null,
    payload bytea not null,
    reason text not null,
    error_code text not null,
    delivery_count int not null,
    redrive_count int not null,
    published_at timestamptz not null,
    first_seen_at timestamptz not null,
    dead_at timestamptz not null,
    primary key (group_id, seq)
  );
  create index dead_letter_by_id on ackline.dead_letter (group_id, id);
  create index dead_letter_by_age on ackline.dead_letter (group_id, dead_at, seq);

  create table ackline.dead_letter_audit (
    at timestamptz not null default clock_timestamp(),
    group_id int not null,
    actor text not null,
    action text not null,
    message_id text not null
  );
  create index dead_letter_audit_by_age on ackline.dead_letter_audit (group_id, at);
  `,
  `
  -- Finds or makes a queue; a retention that is given becomes the queue's. Returns its id.
  create function ackline.ensure_queue(p_queue text, p_retention_ms bigint default null) returns int language plpgsql as $$
  declare found_id int;
  begin
    select id into found_id from ackline.queue where name = p_queue;
    if found_id is null then
      insert into ackline.queue (name, retention_ms) values (p_queue, coalesce(p_retention_ms, 604800000))
        on conflict (name) do nothing;
      select id into found_id from ackline.queue where name = p_queue;
    end if;
    update ackline.queue set retention_ms = p_retention_ms where id = found_id and retention_ms <> p_retention_ms;
    return found_id;
  end $$;

  -- Stores messages and one delivery for each group of the queue. Publishers hold the queue's lock shared and the making
  -- of a group holds it alone, so that no group is passed over; each statement of a volatile function sees what was
  -- committed before it started (READ COMMITTED), so what the lock waited for is seen.
  -- With p_lock_keys a key's order is the order of commits: the second transaction of a key waits for the first.
  create function ackline.publish(p_queue text, p_ids text[], p_keys text[], p_headers text[], p_payloads bytea[],
                                  p_delays_ms float8[], p_lock_keys boolean) returns void language plpgsql volatile as $$
  declare
    q int := ackline.ensure_queue(p_queue);
    one bigint;
  begin
    if current_setting('transaction_isolation') <> 'read committed' then
      raise exception 'ackline: publish inside a transaction needs isolation level READ COMMITTED' using errcode = '25001';
    end if;
    perform pg_advisory_xact_lock_shared(1633905516, q);
    if p_lock_keys then
      for one in
        select distinct hashtextextended(q || ':' || k, 0) from unnest(p_keys) as k where k is not null order by 1
      loop
        perform pg_advisory_xact_lock(one);
      end loop;
    end if;
    with stored as (
      insert into ackline.message (queue_id, id, key, headers, payload, not_before)
      select q, m.id, m.key, m.headers::jsonb, m.payload,
             case when m.delay_ms > 0 then clock_timestamp() + m.delay_ms * interval '1 millisecond' end
      from unnest(p_ids, p_keys, p_headers, p_payloads, p_delays_ms) with ordinality
        as m (id, key, headers, payload, delay_ms, place)
      order by m.place
      returning seq, key, octet_length(payload) as bytes, coalesce(not_before, published_at) as due_at
    )
    insert into ackline.delivery (group_id, seq, key, bytes, due_at)
    select g.id, s.seq, s.key, s.bytes, s.due_at
    from stored s cross join ackline.consumer_group g
    where g.queue_id = q;
  end $$;

  -- Finds or makes a group; a new one gets a delivery for each message that its start includes. Returns its id.
  -- p_from: 'beginning', 'latest', 'last' (the newest p_last) or 'after' (those behind seq p_last).
  create function ackline.ensure_group(p_queue text, p_group text, p_from text, p_last bigint, p_alive_ms float8)
    returns int language plpgsql volatile as $$
  declare
    q int := ackline.ensure_queue(p_queue);
    g int;
  begin
    select id into g from ackline.consumer_group where queue_id = q and name = p_group;
    if g is not null then return g; end if;
    perform pg_advisory_xact_lock(1633905516, q);
    insert into ackline.consumer_group (queue_id, name, alive_until)
      values (q, p_group, clock_timestamp() + p_alive_ms * interval '1 millisecond')
      on conflict (queue_id, name) do nothing returning id into g;
    if g is null then
      select id into g from ackline.consumer_group where queue_id = q and name = p_group;
      return g;
    end if;
    if p_from <> 'latest' then
      insert into ackline.delivery (group_id, seq, key, bytes, due_at)
      select g, m.seq, m.key, octet_length(m.payload), coalesce(m.not_before, m.published_at)
      from ackline.message m
      where m.queue_id = q
        and (p_from <> 'after' or m.seq > p_last)
        and (p_from <> 'last' or m.seq >= coalesce(
              (select min(newest.seq) from (select seq from ackline.message where queue_id = q order by seq desc limit p_last) newest),
              0))
        and (p_from <> 'last' or p_last > 0)
      order by m.seq;
    end if;
    return g;
  end $$;
  `,
];

export const QUEUE_SCHEMA: Schema = {
  history: 'ackline.migration',
  lock: 4_716_337_201_186_420,
  migrations: MIGRATIONS,
};
