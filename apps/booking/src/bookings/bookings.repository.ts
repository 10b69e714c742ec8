import type { BookingSnapshot, TicketedPassenger } from '@eticket/contracts';
import { Injectable } from '@nestjs/common';
import type { SqlExpression } from 'ackline/outbox';
import { BookingStore, type BookingTransaction } from '../database/booking-database.js';
import { ClaimLostError, type Claim } from '../idempotency/idempotency.repository.js';
import type { MailStatusRow } from '../mail-status/mail-status.repository.js';
import { currencyOf } from '../money/currency.js';
import { amount, type Amount } from '../money/money.js';
import type { PassengerDto } from '../passengers/passenger.dto.js';
import { bookingStatesBefore, type BookingState } from './booking-states.js';

export interface Cancellation {
  readonly cancelledAt: Date;
  readonly refund: Amount;
  /** Undefined: the gateway has not done it yet, or there is nothing to refund. */
  readonly refundedAt: Date | undefined;
}

export interface StoredBooking {
  readonly id: string;
  readonly status: BookingState;
  readonly version: number;
  readonly tokenVersion: number;
  readonly snapshot: BookingSnapshot;
  /** Undefined: no worker has said anything yet. */
  readonly mail: MailStatusRow | undefined;
  /** Defined when it is cancelled. */
  readonly cancellation: Cancellation | undefined;
}

export interface NewBooking {
  readonly snapshot: BookingSnapshot;
  readonly version: number;
  readonly tokenVersion: number;
  readonly total: Amount;
  readonly passengers: readonly PassengerDto[];
  readonly authorisationId: string;
  readonly claim: Claim;
  /** The answer to the claim's request, without its tokens. */
  readonly response: string;
  /** Enqueues the booking's event; its parameters are numbered from {@link EVENT_PARAMETER}. */
  readonly event: SqlExpression;
}

/** The booking needs another reference. */
export class ReferenceTakenError extends Error {
  override readonly name = 'ReferenceTakenError';
}

/** Behind those of the booking. */
export const EVENT_PARAMETER = 17;

const insertBooking = (enqueueEvent: string): string => `
  with claimed as (
    update booking.idempotency_keys set response = $3 where key = $1 and claim = $2 returning booking_id
  ), booking as (
    insert into booking.bookings
           (id, reference, status, version, token_version, currency, total_minor, snapshot, created_at)
    select booking_id, $4, 'ticketed', $5::int, $6::int, $7, $8::bigint, $9::jsonb, $10::timestamptz from claimed
    returning id, currency, total_minor, created_at
  ), travellers as (
    insert into booking.passengers (booking_id, position, type, family_name, ticket_name, born_on)
    select booking.id, each.number - 1, each.type, each.family_name, each.ticket_name, each.born_on
      from booking, unnest($11::text[], $12::text[], $13::text[], $14::date[])
                    with ordinality as each (type, family_name, ticket_name, born_on, number)
  ), issued as (
    insert into booking.tickets (number, booking_id, passenger_position, status, issued_at)
    select each.ticket, booking.id, each.number - 1, 'issued', booking.created_at
      from booking, unnest($15::text[]) with ordinality as each (ticket, number)
  ), paid as (
    insert into booking.payments (booking_id, authorisation_id, state, amount_minor, currency)
    select id, $16, 'authorised', total_minor, currency from booking
  )
  select id, ${enqueueEvent} from booking`;

@Injectable()
export class BookingsRepository {
  constructor(private readonly store: BookingStore) {}

  transaction<T>(work: (tx: BookingTransaction) => Promise<T>): Promise<T> {
    return this.store.db.transaction().execute(work);
  }

  /**
   * Stores booking, passengers, tickets, payment, the event and the answer to the request, in one statement: of what a
   * booking costs, trips to the database are the most. @throws ReferenceTakenError, ClaimLostError; nothing is stored then.
   */
  async insert(booking: NewBooking): Promise<void> {
    const { snapshot, total, passengers, claim } = booking;
    const of = <T>(read: (passenger: TicketedPassenger) => T): readonly T[] => snapshot.passengers.map(read);
    const values = [
      claim.key,
      claim.id,
      booking.response,
      snapshot.reference,
      booking.version,
      booking.tokenVersion,
      total.currency.code,
      total.minor,
      JSON.stringify(snapshot),
      snapshot.issuedAt,
      of(({ type }) => type),
      of(({ familyName }) => familyName),
      of(({ ticketName }) => ticketName),
      passengers.map(({ bornOn }) => bornOn),
      of(({ ticketNumber }) => ticketNumber),
      booking.authorisationId,
      ...booking.event.values,
    ];
    const inserted = this.store.prepared('insert-booking', insertBooking(booking.event.text), values);
    const rows = await inserted.catch((error: unknown) => {
      throw isReferenceTaken(error) ? new ReferenceTakenError(snapshot.reference) : error;
    });
    if (rows.length !== 1) throw new ClaimLostError('another attempt has taken the request over');
  }

  /** The booking as it is now; it stays so until the transaction ends. */
  async lock(
    tx: BookingTransaction,
    id: string,
  ): Promise<Pick<StoredBooking, 'status' | 'version' | 'snapshot'> | undefined> {
    return tx
      .selectFrom('bookings')
      .select(['status', 'version', 'snapshot'])
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();
  }

  /** Ends the booking and its tickets. The caller holds its lock and has seen that it may be. */
  async cancel(tx: BookingTransaction, id: string, version: number, cancelledAt: Date): Promise<void> {
    const { numUpdatedRows } = await tx
      .updateTable('bookings')
      .set({ status: 'cancelled', version, cancelled_at: cancelledAt })
      .where('id', '=', id)
      .where('status', 'in', bookingStatesBefore('cancelled'))
      .executeTakeFirst();
    if (numUpdatedRows !== 1n) throw new Error(`booking ${id} is in no state to be cancelled`);
    await tx.updateTable('tickets').set({ status: 'cancelled' }).where('booking_id', '=', id).execute();
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
      .where('bookings.anonymised_at', 'is', null)
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
      .innerJoin('payments', 'payments.booking_id', 'bookings.id')
      .select(['id', 'status', 'version', 'token_version', 'snapshot', 'cancelled_at', 'refund_minor', 'refunded_at'])
      .select('payments.currency as currency')
      .where('id', '=', id)
      .where('anonymised_at', 'is', null)
      .executeTakeFirst();
    if (!row) return undefined;
    const mail = await db.selectFrom('mail_statuses').selectAll().where('booking_id', '=', id).executeTakeFirst();
    const { status, version, token_version: tokenVersion, snapshot } = row;
    return { id, status, version, tokenVersion, snapshot, mail, cancellation: cancellationOf(row) };
  }
}

function isReferenceTaken(error: unknown): boolean {
  return (error as { readonly constraint?: unknown } | undefined)?.constraint === 'bookings_reference_key';
}

function cancellationOf(row: {
  readonly cancelled_at: Date | null;
  readonly refund_minor: string;
  readonly refunded_at: Date | null;
  readonly currency: string;
}): Cancellation | undefined {
  if (!row.cancelled_at) return undefined;
  const refund = amount(BigInt(row.refund_minor), currencyOf(row.currency));
  return { cancelledAt: row.cancelled_at, refund, refundedAt: row.refunded_at ?? undefined };
}
