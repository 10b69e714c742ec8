import type { DeliveryOrder } from '../../queue-driver.js';
import { MESSAGE_COLUMNS } from './rows.js';

/** Promise 7, told by a message's earlier ones of the same key: what must not be there for it to be taken. */
const HELD_BACK_BY = {
  /** A leased one (a redriven message can stand before it), or any earlier one: only the head of a key is ever taken. */
  block: '(e.worker_id is not null or e.seq < d.seq)',
  /** A leased one, or an earlier one that is due itself; one that waits is overtaken. */
  overtake: '(e.worker_id is not null or (e.seq < d.seq and e.due_at <= now()))',
} as const;

/**
 * Leases what is due: $1 group, $2 worker, $3 messages, $4 bytes (the first goes whatever its size).
 * `now()` rather than `clock_timestamp()`: only a stable function can bound an index scan.
 */
export function takeStatement(
  order: DeliveryOrder,
  suspects: boolean,
): { readonly name: string; readonly text: string } {
  const heldBackBy = order.by === 'key' ? HELD_BACK_BY[order.whenHeadWaits] : undefined;
  const name = `take${suspects ? '_suspect' : ''}_${order.by === 'key' ? order.whenHeadWaits : 'none'}`;
  const text = `
    with due as materialized (
      select d.seq, d.bytes, d.due_at from ackline.delivery d
       where d.group_id = $1 and d.worker_id is null and d.previous_end ${suspects ? '>=' : '<'} 2 and d.due_at <= now()
         ${
           heldBackBy
             ? `and (d.key is null or not exists (
                  select from ackline.delivery e where e.group_id = $1 and e.key = d.key and e.seq <> d.seq and ${heldBackBy}))`
             : ''
         }
       order by d.due_at, d.seq limit $3
       for update skip locked
    ), fitting as (
      select seq from (
        select seq, row_number() over in_order as place, sum(bytes) over in_order as bytes_so_far
          from due window in_order as (order by due_at, seq)
      ) sized where place = 1 or bytes_so_far <= $4
    ), leased as (
      update ackline.delivery d
         set worker_id = $2, lease_number = d.lease_number + 1, delivery_count = d.delivery_count + 1, alone = ${suspects},
             lane = ${order.by === 'key' ? 'd.key' : 'null'},
             first_seen_at = coalesce(d.first_seen_at, clock_timestamp())
        from fitting f
       where d.group_id = $1 and d.seq = f.seq
      returning d.seq, d.due_at, d.lease_number, d.delivery_count, d.first_seen_at, d.last_error_code, d.previous_end
    )
    select ${MESSAGE_COLUMNS}, l.lease_number, l.delivery_count, l.first_seen_at, l.last_error_code, l.previous_end
      from leased l join ackline.message m using (seq)
     order by l.due_at, l.seq`;
  return { name, text };
}
