import { Injectable } from '@nestjs/common';
import { sql, type ExpressionBuilder, type ExpressionWrapper, type SqlBool } from 'kysely';
import { paymentStatesBefore, type PaymentState } from '../bookings/booking-states.js';
import { BookingStore, type BookingDatabase, type BookingTransaction } from '../database/booking-database.js';
import { currencyOf } from '../money/currency.js';
import { amount, type Amount } from '../money/money.js';

/** What is left to do with a booking's money. */
export interface OpenPayment {
  readonly bookingId: string;
  readonly authorisationId: string;
  readonly toCapture: boolean;
  /** Undefined: nothing is to be refunded, or it has been. */
  readonly toRefund: Amount | undefined;
}

type Payments = ExpressionBuilder<BookingDatabase, 'payments'>;

@Injectable()
export class PaymentsRepository {
  constructor(private readonly store: BookingStore) {}

  async open(bookingId: string): Promise<OpenPayment | undefined> {
    const [payment] = await this.select().where('payments.booking_id', '=', bookingId).execute();
    return payment && readOpen(payment);
  }

  /** Those of bookings last touched before `time`, at most `limit`, in any order: none keeps others from their turn. */
  async openBefore(time: Date, limit: number): Promise<readonly OpenPayment[]> {
    const rows = await this.select()
      .innerJoin('bookings', 'bookings.id', 'payments.booking_id')
      .where(sql<Date>`coalesce(bookings.cancelled_at, bookings.created_at)`, '<', time)
      .orderBy(sql`random()`)
      .limit(limit)
      .execute();
    return rows.map(readOpen);
  }

  /** How many are in which state that is not the end. */
  async countOpen(): Promise<
    Readonly<Record<'authorised' | 'refund_due' | 'uncollectable' | 'refund_refused', number>>
  > {
    const { rows } = await sql<{
      authorised: string;
      refund_due: string;
      uncollectable: string;
      refund_refused: string;
    }>`
      select count(*) filter (where state = 'authorised') as authorised,
             count(*) filter (where refund_minor > 0 and refunded_at is null and state = 'captured') as refund_due,
             count(*) filter (where state = 'refund_refused') as refund_refused,
             count(*) filter (where state = 'uncollectable') as uncollectable
        from booking.payments
       where state <> 'captured' or (refund_minor > 0 and refunded_at is null)`.execute(this.store.db);
    const [row] = rows;
    return {
      authorised: Number(row?.authorised),
      refund_due: Number(row?.refund_due),
      uncollectable: Number(row?.uncollectable),
      refund_refused: Number(row?.refund_refused),
    };
  }

  async mark(bookingId: string, state: PaymentState): Promise<void> {
    await this.store.prepared(
      'mark-payment',
      `update booking.payments set state = $2 where booking_id = $1 and state = any($3::text[])`,
      [bookingId, state, paymentStatesBefore(state)],
    );
  }

  /** What is owed now: the refund, or nothing where the money could not be taken in the first place. */
  async setRefund(tx: BookingTransaction, bookingId: string, refund: Amount): Promise<Amount> {
    const { refund_minor: owed } = await tx
      .updateTable('payments')
      .set({ refund_minor: sql<bigint>`case state when 'uncollectable' then 0 else ${refund.minor}::bigint end` })
      .where('booking_id', '=', bookingId)
      .returning('refund_minor')
      .executeTakeFirstOrThrow();
    return amount(BigInt(owed), refund.currency);
  }

  async markRefunded(bookingId: string, at: Date): Promise<void> {
    await this.store.db
      .updateTable('payments')
      .set({ refunded_at: at })
      .where('booking_id', '=', bookingId)
      .where('refunded_at', 'is', null)
      .execute();
  }

  private select() {
    return this.store.db
      .selectFrom('payments')
      .select([
        'payments.booking_id',
        'payments.authorisation_id',
        'payments.state',
        'payments.currency',
        'payments.refund_minor',
        'payments.refunded_at',
      ])
      .where(isOpen);
  }
}

/** In the other states a person has to see to the refund. */
const SETTLED_BY_US = ['authorised', 'captured'] as const;

/** As the index `payments_to_settle` has it. */
function isOpen(payments: Payments): ExpressionWrapper<BookingDatabase, 'payments', SqlBool> {
  return payments.or([
    payments('payments.state', '=', 'authorised'),
    payments.and([
      payments('payments.refund_minor', '>', '0'),
      payments('payments.refunded_at', 'is', null),
      payments('payments.state', 'in', SETTLED_BY_US),
    ]),
  ]);
}

function readOpen(row: {
  readonly booking_id: string;
  readonly authorisation_id: string;
  readonly state: PaymentState;
  readonly currency: string;
  readonly refund_minor: string;
  readonly refunded_at: Date | null;
}): OpenPayment {
  const refund = amount(BigInt(row.refund_minor), currencyOf(row.currency));
  return {
    bookingId: row.booking_id,
    authorisationId: row.authorisation_id,
    toCapture: row.state === 'authorised',
    toRefund: refund.minor > 0n && row.refunded_at === null ? refund : undefined,
  };
}
