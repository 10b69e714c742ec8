import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { BookingStore } from '../database/booking-database.js';

/** As the index has it. */
const LAST_DAY = sql<string>`left(snapshot #>> '{segments,-1,arrivingAt}', 10)`;

@Injectable()
export class PersonalDataRepository {
  constructor(private readonly store: BookingStore) {}

  /** How many bookings whose last flight landed before `day` (`YYYY-MM-DD`) still name their travellers. */
  async countBefore(day: string): Promise<number> {
    const { count } = await this.store.db
      .selectFrom('bookings')
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .where('anonymised_at', 'is', null)
      .where(LAST_DAY, '<', day)
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  /**
   * Takes what is personal out of at most `limit` such bookings, all of each or nothing, and gives their number. Left is
   * what accounts need: reference, ticket numbers, flights, amounts, brand and last digits of the card. Earlier links and
   * tokens open nothing any more. Two nodes at once never take the same booking.
   */
  async anonymiseBefore(day: string, limit: number, now: Date): Promise<number> {
    const { rows } = await sql`
      with old as (
        select id from booking.bookings
         where anonymised_at is null and ${LAST_DAY} < ${day}
         order by ${LAST_DAY} limit ${limit} for update skip locked
      ), travellers as (
        update booking.passengers set family_name = '', ticket_name = '', born_on = null
         where booking_id in (select id from old)
      ), mails as (
        update booking.mail_statuses set message_id = null, reason = null where booking_id in (select id from old)
      )
      update booking.bookings
         set anonymised_at = ${now}, token_version = token_version + 1,
             snapshot = snapshot || jsonb_build_object(
               'contact', '{"email": "", "phone": ""}'::jsonb,
               'passengers', (
                 select jsonb_agg(each || '{"givenName": "", "familyName": "", "ticketName": "", "title": "mr"}'::jsonb
                                  order by number)
                   from jsonb_array_elements(snapshot -> 'passengers') with ordinality as all_of (each, number)))
       where id in (select id from old)
      returning id`.execute(this.store.db);
    return rows.length;
  }
}
