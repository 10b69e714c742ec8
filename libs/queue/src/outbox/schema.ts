import type { Schema } from '../drivers/postgres/migrate.js';

/** Tables that live in the user's own database: what waits for the relay, and what handlers have handled. */
export const OUTBOX_SCHEMA: Schema = {
  history: 'ackline.outbox_migration',
  lock: 4_716_337_201_186_422,
  migrations: [
    `
    create table ackline.outbox (
      seq bigint generated always as identity primary key,
      queue text not null,
      id text not null,
      key text,
      headers jsonb not null,
      payload bytea not null,
      not_before timestamptz,
      enqueued_at timestamptz not null default clock_timestamp()
    ) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);

    -- A key's order is the order of commits: the second transaction of a key waits for the first, so that seq tells it.
    create function ackline.enqueue(p_queue text, p_ids text[], p_keys text[], p_headers text[], p_payloads bytea[],
                                    p_delays_ms float8[]) returns void language plpgsql volatile as $$
    declare one bigint;
    begin
      for one in
        select distinct hashtextextended(p_queue || ':' || k, 1) from unnest(p_keys) as k where k is not null order by 1
      loop
        perform pg_advisory_xact_lock(one);
      end loop;
      insert into ackline.outbox (queue, id, key, headers, payload, not_before)
      select p_queue, m.id, m.key, m.headers::jsonb, m.payload,
             case when m.delay_ms > 0 then clock_timestamp() + m.delay_ms * interval '1 millisecond' end
      from unnest(p_ids, p_keys, p_headers, p_payloads, p_delays_ms) with ordinality
        as m (id, key, headers, payload, delay_ms, place)
      order by m.place;
    end $$;

    create table ackline.inbox (
      consumer_group text not null,
      message_id text not null,
      handled_at timestamptz not null default clock_timestamp(),
      primary key (consumer_group, message_id)
    );
    create index inbox_by_age on ackline.inbox (handled_at);
    `,
  ],
};
