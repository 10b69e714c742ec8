import { randomUUID } from 'node:crypto';
import { within } from '@eticket/service';
import type pg from 'pg';
import { Gatherer } from '../gathering/gatherer.js';
import { recordOf } from './send-record.schema.js';
import type { SendRecord, SendRecordRow } from './send-record.schema.js';
import { CLAIM, FINISH, STANDING } from './send-record.statements.js';

/** What makes one mail: a version of a booking. The event id is that of the first event that asked for it. */
export interface MailIdentity {
  readonly eventId: string;
  readonly bookingId: string;
  readonly version: number;
  readonly messageId: string;
  /** W3C trace id of the request that the mail follows from. */
  readonly traceId?: string | undefined;
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
  | { readonly state: 'sent'; readonly relayId?: string | undefined }
  | { readonly state: 'pending'; readonly reason: string; readonly nextTryInMs?: number }
  | { readonly state: 'unknown'; readonly reason: string; readonly nextTryInMs?: number }
  | { readonly state: 'failed'; readonly reason: string; readonly outcomeUnknown?: boolean };

interface Asked {
  readonly mail: MailIdentity;
  readonly claimMs: number;
  readonly token: string;
}

interface Ended {
  readonly claim: SendClaim;
  readonly ending: Ending;
}

interface ClaimedRow extends SendRecordRow {
  readonly claim_token: string;
  readonly superseded: boolean;
}

const SCHEMA_DEADLINE_MS = 5_000;

/**
 * The send record in PostgreSQL. What several mails ask of it at the same time goes in one statement; every statement is
 * a transaction of its own, so a crash leaves no half of one.
 */
export class SendRecordRepository {
  readonly #claims = new Gatherer<Asked, ClaimResult>((batch) => this.#claimAll(batch));
  readonly #endings = new Gatherer<Ended, SendRecord | undefined>((batch) => this.#finishAll(batch));

  constructor(
    private readonly pool: pg.Pool,
    /** Resolves when the tables are there: a first message can be quicker than the first migration. */
    private readonly schemaReady: Promise<void>,
  ) {}

  /**
   * Claims the mail for `claimMs`. Of any number of workers that ask at the same time one gets it; a claim that ran out
   * is given to the next who asks, and its outcome counted as unknown.
   */
  async claim(mail: MailIdentity, claimMs: number): Promise<ClaimResult> {
    await within(this.schemaReady, SCHEMA_DEADLINE_MS, 'bringing the schema up to date');
    return this.#claims.add({ mail, claimMs, token: randomUUID() });
  }

  /**
   * Writes down how the claimed sending ended. Resolves with undefined when the claim ran out meanwhile and is another
   * worker's: then that worker's word counts.
   */
  finish(claim: SendClaim, ending: Ending): Promise<SendRecord | undefined> {
    return this.#endings.add({ claim, ending });
  }

  async #claimAll(batch: readonly Asked[]): Promise<readonly ClaimResult[]> {
    // One statement writes a row once: of those that ask for the same mail the first asks for all.
    const firsts = [...new Map(batch.toReversed().map((asked) => [keyOf(asked.mail), asked])).values()];
    const rows = await this.#query<ClaimedRow>('claim', CLAIM, [
      firsts.map(({ mail }) => mail.eventId),
      firsts.map(({ mail }) => mail.bookingId),
      firsts.map(({ mail }) => mail.version),
      firsts.map(({ mail }) => mail.messageId),
      firsts.map(({ mail }) => mail.traceId ?? null),
      firsts.map(({ token }) => token),
      firsts.map(({ claimMs }) => claimMs),
    ]);
    const claimed = new Map(rows.map((row) => [row.claim_token, row]));
    const others = batch.filter(({ token }) => !claimed.has(token));
    const standing = others.length === 0 ? new Map<string, ClaimResult>() : await this.#standing(others);
    return batch.map(({ mail, token }) => {
      const row = claimed.get(token);
      if (row) return { type: 'claimed', claim: { record: recordOf(row), token, superseded: row.superseded } };
      const result = standing.get(keyOf(mail));
      if (!result) throw new Error('a mail that is claimed by another has no record');
      return result;
    });
  }

  async #finishAll(batch: readonly Ended[]): Promise<readonly (SendRecord | undefined)[]> {
    const rows = await this.#query<SendRecordRow & { readonly token: string }>('finish', FINISH, [
      batch.map(({ claim }) => claim.record.bookingId),
      batch.map(({ claim }) => claim.record.version),
      batch.map(({ claim }) => claim.token),
      batch.map(({ ending }) => ending.state),
      batch.map(({ ending }) => (isUnknown(ending) ? 1 : 0)),
      batch.map(({ ending }) => ('relayId' in ending ? (ending.relayId ?? null) : null)),
      batch.map(({ ending }) => ('reason' in ending ? ending.reason : null)),
      batch.map(({ ending }) => ('nextTryInMs' in ending ? (ending.nextTryInMs ?? null) : null)),
    ]);
    const finished = new Map(rows.map((row) => [row.token, row]));
    return batch.map(({ claim }) => {
      const row = finished.get(claim.token);
      return row && recordOf(row);
    });
  }

  async #standing(asked: readonly Asked[]): Promise<ReadonlyMap<string, ClaimResult>> {
    const rows = await this.#query<SendRecordRow & { readonly remaining_ms: number | null }>('standing', STANDING, [
      asked.map(({ mail }) => mail.bookingId),
      asked.map(({ mail }) => mail.version),
    ]);
    return new Map(
      rows.map((row): [string, ClaimResult] => {
        const record = recordOf(row);
        if (record.state === 'sent') return [keyOf(record), { type: 'already-sent', record }];
        const remainingMs = Math.ceil(row.remaining_ms ?? 0);
        return [keyOf(record), { type: 'claimed-by-another', record, remainingMs }];
      }),
    );
  }

  /** Prepared once a connection. */
  async #query<Row extends pg.QueryResultRow>(name: string, text: string, values: unknown[]): Promise<readonly Row[]> {
    const { rows } = await this.pool.query<Row>({ name: `send_record_${name}`, text, values });
    return rows;
  }
}

function keyOf({ bookingId, version }: Pick<MailIdentity, 'bookingId' | 'version'>): string {
  return `${bookingId.toLowerCase()} ${version}`;
}

function isUnknown(ending: Ending): boolean {
  return ending.state === 'unknown' || ('outcomeUnknown' in ending && ending.outcomeUnknown === true);
}
