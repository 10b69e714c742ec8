import { randomUUID } from 'node:crypto';
import { within } from '@eticket/service';
import { sql } from 'kysely';
import type { Kysely, RawBuilder } from 'kysely';
import { MAIL_ETICKET_SCHEMA } from './send-record.migrations.js';
import type { MailEticketDatabase, SendState } from './send-record.schema.js';

/** What makes one mail: a version of a booking. The event id is that of the first event that asked for it. */
export interface MailIdentity {
  readonly eventId: string;
  readonly bookingId: string;
  readonly version: number;
  readonly messageId: string;
}

/** Where a mail stands. */
export interface SendRecord extends MailIdentity {
  readonly state: SendState;
  readonly attempts: number;
  readonly revision: number;
  readonly unknownOutcomes: number;
  readonly possiblySentTwice: boolean;
  readonly sentAt: Date | undefined;
  readonly reason: string | undefined;
  readonly nextTryAt: Date | undefined;
  readonly updatedAt: Date;
}

/** The right to send a mail, for as long as the claim lasts. */
export interface SendClaim {
  readonly record: SendRecord;
  readonly token: string;
  /** A mail of a later version of the booking is sent already. */
  readonly superseded: boolean;
}

/**
 * What came of asking for a mail: the right to send it, word that it is sent, or that another worker is sending it now,
 * for at most so much longer.
 */
export type ClaimResult =
  | { readonly type: 'claimed'; readonly claim: SendClaim }
  | { readonly type: 'already-sent'; readonly record: SendRecord }
  | { readonly type: 'claimed-by-another'; readonly record: SendRecord; readonly remainingMs: number };

/** How a sending ended, as far as the record is concerned. */
export type Ending =
  | { readonly state: 'sent' }
  | { readonly state: 'pending'; readonly reason: string; readonly nextTryInMs?: number }
  | { readonly state: 'unknown'; readonly reason: string; readonly nextTryInMs?: number }
  | { readonly state: 'failed'; readonly reason: string; readonly outcomeUnknown?: boolean };

const SCHEMA_DEADLINE_MS = 5_000;

/** Milliseconds are written as an interval, so that only the database's clock is read. */
const milliseconds = (ms: number): RawBuilder<unknown> => sql`${ms} * interval '1 millisecond'`;

/** The send record in PostgreSQL. Every method is one statement, so a crash leaves no half of one. */
export class SendRecordRepository {
  readonly #db: Kysely<MailEticketDatabase>;

  constructor(
    db: Kysely<MailEticketDatabase>,
    /** Resolves when the tables are there: a first message can be quicker than the first migration. */
    private readonly schemaReady: Promise<void>,
  ) {
    this.#db = db.withSchema(MAIL_ETICKET_SCHEMA);
  }

  /**
   * Claims the mail for `claimMs`. Of any number of workers that ask at the same time one gets it; a claim that ran out
   * is given to the next who asks, and its outcome counted as unknown.
   */
  async claim(mail: MailIdentity, claimMs: number): Promise<ClaimResult> {
    await within(this.schemaReady, SCHEMA_DEADLINE_MS, 'bringing the schema up to date');
    const token = randomUUID();
    const claimedUntil = sql<Date>`clock_timestamp() + ${milliseconds(claimMs)}`;
    const claimed = await this.#db
      .insertInto('send_record')
      .values({
        event_id: mail.eventId,
        booking_id: mail.bookingId,
        version: mail.version,
        message_id: mail.messageId,
        state: 'sending',
        attempts: 1,
        revision: 1,
        claim_token: token,
        claimed_until: claimedUntil,
      })
      .onConflict((conflict) =>
        conflict
          .columns(['booking_id', 'version'])
          .doUpdateSet({
            unknown_outcomes: sql<number>`send_record.unknown_outcomes + CASE send_record.state WHEN 'sending' THEN 1 ELSE 0 END`,
            state: 'sending',
            attempts: sql<number>`send_record.attempts + 1`,
            revision: sql<number>`send_record.revision + 1`,
            claim_token: token,
            claimed_until: claimedUntil,
            reason: null,
            next_try_at: null,
            updated_at: sql<Date>`clock_timestamp()`,
          })
          .where((eb) =>
            eb.or([
              eb('send_record.state', 'in', ['pending', 'unknown', 'failed']),
              eb.and([
                eb('send_record.state', '=', 'sending'),
                eb('send_record.claimed_until', '<=', sql<Date>`clock_timestamp()`),
              ]),
            ]),
          ),
      )
      .returningAll()
      .returning(
        sql<boolean>`EXISTS (
          SELECT FROM ${sql.table(`${MAIL_ETICKET_SCHEMA}.send_record`)} newer
          WHERE newer.booking_id = send_record.booking_id AND newer.version > send_record.version AND newer.state = 'sent'
        )`.as('superseded'),
      )
      .executeTakeFirst();
    if (claimed)
      return { type: 'claimed', claim: { record: recordOf(claimed), token, superseded: claimed.superseded } };
    return this.#standing(mail);
  }

  /**
   * Writes down how the claimed sending ended. Resolves with undefined when the claim ran out meanwhile and is another
   * worker's: then that worker's word counts.
   */
  async finish({ record, token }: SendClaim, ending: Ending): Promise<SendRecord | undefined> {
    const nextTryInMs = 'nextTryInMs' in ending ? ending.nextTryInMs : undefined;
    const outcomeUnknown = ending.state === 'unknown' || ('outcomeUnknown' in ending && ending.outcomeUnknown === true);
    const row = await this.#db
      .updateTable('send_record')
      .set((eb) => ({
        state: ending.state,
        revision: eb('revision', '+', 1),
        unknown_outcomes: eb('unknown_outcomes', '+', outcomeUnknown ? 1 : 0),
        claim_token: null,
        claimed_until: null,
        sent_at: ending.state === 'sent' ? sql<Date>`clock_timestamp()` : null,
        reason: ending.state === 'sent' ? null : ending.reason,
        next_try_at: nextTryInMs === undefined ? null : sql<Date>`clock_timestamp() + ${milliseconds(nextTryInMs)}`,
        updated_at: sql<Date>`clock_timestamp()`,
      }))
      .where('booking_id', '=', record.bookingId)
      .where('version', '=', record.version)
      .where('claim_token', '=', token)
      .returningAll()
      .executeTakeFirst();
    return row && recordOf(row);
  }

  /** The record of a mail; undefined where nobody ever asked for it. */
  async find(bookingId: string, version: number): Promise<SendRecord | undefined> {
    const row = await this.#db
      .selectFrom('send_record')
      .selectAll()
      .where('booking_id', '=', bookingId)
      .where('version', '=', version)
      .executeTakeFirst();
    return row && recordOf(row);
  }

  async #standing(mail: MailIdentity): Promise<ClaimResult> {
    const row = await this.#db
      .selectFrom('send_record')
      .selectAll()
      .select(
        sql<number>`greatest(0, extract(epoch FROM claimed_until - clock_timestamp()) * 1000)::float8`.as(
          'remaining_ms',
        ),
      )
      .where('booking_id', '=', mail.bookingId)
      .where('version', '=', mail.version)
      .executeTakeFirstOrThrow();
    const record = recordOf(row);
    if (record.state === 'sent') return { type: 'already-sent', record };
    return { type: 'claimed-by-another', record, remainingMs: Math.ceil(row.remaining_ms ?? 0) };
  }
}

interface SendRecordRow {
  readonly event_id: string;
  readonly booking_id: string;
  readonly version: number;
  readonly message_id: string;
  readonly state: SendState;
  readonly attempts: number;
  readonly revision: number;
  readonly unknown_outcomes: number;
  readonly possibly_sent_twice: boolean;
  readonly sent_at: Date | null;
  readonly reason: string | null;
  readonly next_try_at: Date | null;
  readonly updated_at: Date;
}

function recordOf(row: SendRecordRow): SendRecord {
  return {
    eventId: row.event_id,
    bookingId: row.booking_id,
    version: row.version,
    messageId: row.message_id,
    state: row.state,
    attempts: row.attempts,
    revision: row.revision,
    unknownOutcomes: row.unknown_outcomes,
    possiblySentTwice: row.possibly_sent_twice,
    sentAt: row.sent_at ?? undefined,
    reason: row.reason ?? undefined,
    nextTryAt: row.next_try_at ?? undefined,
    updatedAt: row.updated_at,
  };
}
