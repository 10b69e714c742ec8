import type { EticketMailStatusEvent } from '@eticket/contracts';
import { Injectable } from '@nestjs/common';
import { sql, type Selectable } from 'kysely';
import { BookingStore, type BookingTransaction, type MailStatusTable } from '../database/booking-database.js';

/** A mail status as it is stored. */
export type MailStatusRow = Selectable<MailStatusTable>;

/** Workers number the statuses of a mail from 1. */
const BEFORE_ANY_WORKER = 0;

const KEEP_NEWEST = `
  with booking as (select id from booking.bookings where id = $1), kept as (
    insert into booking.mail_statuses
      (booking_id, version, revision, status, sent_at, message_id, next_try_at, reason)
    select id, $2::int, $3::int, $4, $5::timestamptz, $6, $7::timestamptz, $8 from booking
    on conflict (booking_id) do update
      set (version, revision, status, sent_at, message_id, next_try_at, reason) =
          (excluded.version, excluded.revision, excluded.status, excluded.sent_at, excluded.message_id,
           excluded.next_try_at, excluded.reason)
      where (mail_statuses.version, mail_statuses.revision) < (excluded.version, excluded.revision)
  )
  select exists (select 1 from booking) as known`;

@Injectable()
export class MailStatusRepository {
  constructor(private readonly store: BookingStore) {}

  /**
   * Keeps the status where it is newer, by (version, revision), than what is known. False when there is no such booking;
   * an older status changes nothing and is true.
   */
  async keepNewest(event: EticketMailStatusEvent): Promise<boolean> {
    const [row] = await this.store.prepared<{ known: boolean }>('keep-mail-status', KEEP_NEWEST, [
      event.bookingId,
      event.version,
      event.revision,
      event.status,
      event.sentAt,
      event.messageId,
      event.nextTryAt,
      event.reason,
    ]);
    return row?.known === true;
  }

  /** The mail of a new version is queued: what was told of earlier ones no longer counts. */
  async queueAgain(tx: BookingTransaction, bookingId: string, version: number): Promise<void> {
    const none = { sent_at: null, message_id: null, next_try_at: null, reason: null };
    const row = { booking_id: bookingId, version, revision: BEFORE_ANY_WORKER, status: 'queued' as const, ...none };
    await tx
      .insertInto('mail_statuses')
      .values(row)
      .onConflict((conflict) => conflict.column('booking_id').doUpdateSet(row))
      .execute();
  }

  async newest(bookingIds: readonly string[]): Promise<readonly MailStatusRow[]> {
    if (bookingIds.length === 0) return [];
    return this.store.db
      .selectFrom('mail_statuses')
      .selectAll()
      .where('booking_id', '=', sql<string>`any(${[...bookingIds]}::uuid[])`)
      .execute();
  }
}
