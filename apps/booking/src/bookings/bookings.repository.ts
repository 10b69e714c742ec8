import type { BookingSnapshot } from '@eticket/contracts';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { BookingStore, type BookingTransaction } from '../database/booking-database.js';
import type { MailStatusRow } from '../mail-status/mail-status.repository.js';
import type { Amount } from '../money/money.js';
import type { PassengerDto } from '../passengers/passenger.dto.js';

export interface StoredBooking {
  readonly id: string;
  readonly status: 'ticketed';
  readonly version: number;
  readonly tokenVersion: number;
  readonly snapshot: BookingSnapshot;
  /** Undefined: no worker has said anything yet. */
  readonly mail: MailStatusRow | undefined;
}

export interface NewBooking {
  readonly snapshot: BookingSnapshot;
  readonly version: number;
  readonly tokenVersion: number;
  readonly total: Amount;
  readonly passengers: readonly PassengerDto[];
  readonly authorisationId: string;
}

@Injectable()
export class BookingsRepository {
  constructor(private readonly store: BookingStore) {}

  transaction<T>(work: (tx: BookingTransaction) => Promise<T>): Promise<T> {
    return this.store.db.transaction().execute(work);
  }

  async nextTicketSerials(tx: BookingTransaction, count: number): Promise<readonly number[]> {
    const { rows } = await sql<{ serial: string }>`
      select nextval('booking.ticket_serials') as serial from generate_series(1, ${count})`.execute(tx);
    return rows.map((row) => Number(row.serial));
  }

  /** Stores booking, passengers, tickets and payment; false, and nothing is stored, when its reference is taken. */
  async insert(tx: BookingTransaction, booking: NewBooking): Promise<boolean> {
    const { snapshot, version, tokenVersion, total, passengers, authorisationId } = booking;
    const [currency, issuedAt] = [total.currency.code, new Date(snapshot.issuedAt)];
    const inserted = await tx
      .insertInto('bookings')
      .values({
        id: snapshot.id,
        reference: snapshot.reference,
        status: 'ticketed',
        version,
        token_version: tokenVersion,
        currency,
        total_minor: total.minor,
        snapshot: JSON.stringify(snapshot),
        created_at: issuedAt,
      })
      .onConflict((conflict) => conflict.column('reference').doNothing())
      .returning('id')
      .executeTakeFirst();
    if (!inserted) return false;
    await tx
      .insertInto('passengers')
      .values(
        snapshot.passengers.map(({ type, familyName, ticketName }, position) => ({
          booking_id: snapshot.id,
          position,
          type,
          family_name: familyName,
          ticket_name: ticketName,
          born_on: passengers[position]?.bornOn ?? '',
        })),
      )
      .execute();
    await tx
      .insertInto('tickets')
      .values(
        snapshot.passengers.map(({ ticketNumber }, position) => ({
          number: ticketNumber,
          booking_id: snapshot.id,
          passenger_position: position,
          status: 'issued' as const,
          issued_at: issuedAt,
        })),
      )
      .execute();
    await tx
      .insertInto('payments')
      .values({
        booking_id: snapshot.id,
        authorisation_id: authorisationId,
        state: 'authorised',
        amount_minor: total.minor,
        currency,
      })
      .execute();
    return true;
  }

  async markCaptured(bookingId: string): Promise<void> {
    await this.store.db
      .updateTable('payments')
      .set({ state: 'captured' })
      .where('booking_id', '=', bookingId)
      .execute();
  }

  /** The booking's next version and what it is about; the row is held until the transaction ends. */
  async nextVersion(
    tx: BookingTransaction,
    id: string,
  ): Promise<{ readonly version: number; readonly snapshot: BookingSnapshot } | undefined> {
    const row = await tx
      .selectFrom('bookings')
      .select(['version', 'snapshot'])
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    return row && { version: row.version + 1, snapshot: row.snapshot };
  }

  async setVersion(tx: BookingTransaction, id: string, version: number): Promise<void> {
    await tx.updateTable('bookings').set({ version }).where('id', '=', id).execute();
  }

  /** In one query, whether there is such a booking or not. */
  async findByReference(
    reference: string,
  ): Promise<
    { readonly id: string; readonly tokenVersion: number; readonly familyNames: readonly string[] } | undefined
  > {
    const rows = await this.store.db
      .selectFrom('bookings')
      .innerJoin('passengers', 'passengers.booking_id', 'bookings.id')
      .select(['bookings.id', 'bookings.token_version', 'passengers.family_name'])
      .where('bookings.reference', '=', reference)
      .execute();
    const [first] = rows;
    return (
      first && { id: first.id, tokenVersion: first.token_version, familyNames: rows.map((row) => row.family_name) }
    );
  }

  async find(id: string): Promise<StoredBooking | undefined> {
    const { db } = this.store;
    const row = await db
      .selectFrom('bookings')
      .select(['id', 'status', 'version', 'token_version', 'snapshot'])
      .where('id', '=', id)
      .executeTakeFirst();
    if (!row) return undefined;
    const mail = await db.selectFrom('mail_statuses').selectAll().where('booking_id', '=', id).executeTakeFirst();
    const { status, version, token_version: tokenVersion, snapshot } = row;
    return { id, status, version, tokenVersion, snapshot, mail };
  }
}
