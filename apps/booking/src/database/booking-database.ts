import type { BookingSnapshot, MailStatus, PassengerType } from '@eticket/contracts';
import type { BookingState, PaymentState } from '../bookings/booking-states.js';
import type { ColumnType, Generated, JSONColumnType, Kysely, Transaction } from 'kysely';
import type pg from 'pg';

/** The schema that all tables of this service live in. */
export const BOOKING_SCHEMA = 'booking';

type Timestamp = ColumnType<Date, Date, Date>;

export interface BookingTable {
  readonly id: string;
  readonly reference: string;
  readonly status: BookingState;
  /** 1 when it was made, one more for every change or wanted resend; that of the newest event. */
  readonly version: number;
  /** What access tokens are made over; one more makes all earlier tokens worthless. */
  readonly token_version: number;
  readonly currency: string;
  readonly total_minor: ColumnType<string, bigint, bigint>;
  /** All that e-ticket and page show, as it was ticketed. */
  readonly snapshot: JSONColumnType<BookingSnapshot>;
  readonly created_at: Timestamp;
  readonly cancelled_at: ColumnType<Date | null, undefined, Date>;
  /** Since then nothing personal is in it, and nobody can open it. */
  readonly anonymised_at: ColumnType<Date | null, undefined, Date>;
}

export interface PassengerTable {
  readonly booking_id: string;
  /** Index in the booking. */
  readonly position: number;
  readonly type: PassengerType;
  readonly family_name: string;
  readonly ticket_name: string;
  /** Null once it is anonymised. */
  readonly born_on: ColumnType<Date | null, string, string | null>;
}

export interface TicketTable {
  readonly number: string;
  readonly booking_id: string;
  readonly passenger_position: number;
  readonly status: 'issued' | 'cancelled';
  readonly issued_at: Timestamp;
}

export interface PaymentTable {
  readonly booking_id: string;
  readonly authorisation_id: string;
  readonly state: PaymentState;
  readonly amount_minor: ColumnType<string, bigint, bigint>;
  readonly currency: string;
  /** 0 unless it is cancelled. */
  readonly refund_minor: ColumnType<string, undefined, bigint>;
  readonly refunded_at: ColumnType<Date | null, undefined, Date>;
}

/** The newest status of the e-ticket mail; a booking without a row is `queued`. */
export interface MailStatusTable {
  readonly booking_id: string;
  readonly version: number;
  readonly revision: number;
  readonly status: MailStatus;
  readonly sent_at: ColumnType<Date | null, Date | null, Date | null>;
  readonly message_id: string | null;
  readonly next_try_at: ColumnType<Date | null, Date | null, Date | null>;
  readonly reason: string | null;
}

export interface IdempotencyKeyTable {
  readonly key: string;
  /** Keyed digest of the request's body. */
  readonly fingerprint: Buffer;
  /** Of the booking that this request makes, also when a second process finishes what the first began. */
  readonly booking_id: string;
  /** Names the attempt under way; a later attempt has another, and the earlier one can no longer finish. */
  readonly claim: string;
  readonly claimed_until: Timestamp;
  /** The answer's body without its tokens, once there is one. */
  readonly response: string | null;
  readonly created_at: Generated<Date>;
}

export interface SecretTable {
  readonly name: string;
  readonly value: string;
}

export interface BookingDatabase {
  bookings: BookingTable;
  passengers: PassengerTable;
  tickets: TicketTable;
  payments: PaymentTable;
  mail_statuses: MailStatusTable;
  idempotency_keys: IdempotencyKeyTable;
  secrets: SecretTable;
}

export type BookingTransaction = Transaction<BookingDatabase>;

/** The service's tables. */
export class BookingStore {
  constructor(
    private readonly tables: Kysely<BookingDatabase>,
    private readonly pool: pg.Pool,
    private readonly assertReady: () => void,
  ) {}

  /** @throws ProblemError 503 until the schema is up to date. */
  get db(): Kysely<BookingDatabase> {
    this.assertReady();
    return this.tables;
  }

  /**
   * Runs a statement in a transaction of its own. Each connection keeps its plan under `name`, which stands for one text:
   * for the few that every booking needs, where planning would cost more than running.
   * @throws ProblemError 503 until the schema is up to date.
   */
  async prepared<R extends object>(name: string, text: string, values: readonly unknown[]): Promise<readonly R[]> {
    this.assertReady();
    return (await this.pool.query<R>({ name, text, values: [...values] })).rows;
  }
}
