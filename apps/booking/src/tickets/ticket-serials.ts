import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { BookingStore } from '../database/booking-database.js';

/** More than one booking's passengers, and few enough to be lost when a process ends: 10⁸ are to be had. */
const BLOCK = 50;

/** Serials of tickets, each given once. They are fetched ahead, so that a booking does not ask the database for its own. */
@Injectable()
export class TicketSerials {
  private reserve: readonly number[] = [];
  private fetching: Promise<void> | undefined;

  constructor(private readonly store: BookingStore) {}

  /** In rising order. They are spent also when the booking then fails. */
  async take(count: number): Promise<readonly number[]> {
    while (this.reserve.length < count) {
      await (this.fetching ??= this.fetch().finally(() => (this.fetching = undefined)));
    }
    const taken = this.reserve.slice(0, count);
    this.reserve = this.reserve.slice(count);
    return taken;
  }

  private async fetch(): Promise<void> {
    const { rows } = await sql<{ serial: string }>`
      select nextval('booking.ticket_serials') as serial from generate_series(1, ${BLOCK})`.execute(this.store.db);
    this.reserve = [...this.reserve, ...rows.map((row) => Number(row.serial))];
  }
}
