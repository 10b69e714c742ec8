import type pg from 'pg';
import { recordOf } from '../send-record/send-record.schema.js';
import type { SendRecord, SendRecordRow } from '../send-record/send-record.schema.js';
import type { DeadMail } from './dead-mail.js';
import { GIVE_UP, TOLD, UNTOLD } from './dead-mail.statements.js';

/** The send record of mails whose events are dead letters; each mail once in a call. */
export class DeadMailRepository {
  constructor(private readonly pool: pg.Pool) {}

  /**
   * Gives up those that are neither sent, nor given up, nor being sent, and resolves with them. A redrive lets each be
   * tried again.
   */
  async giveUp(mails: readonly DeadMail[]): Promise<readonly SendRecord[]> {
    const { rows } = await this.pool.query<SendRecordRow>(GIVE_UP, [
      mails.map(({ eventId }) => eventId),
      mails.map(({ bookingId }) => bookingId),
      mails.map(({ version }) => version),
      mails.map(({ messageId }) => messageId),
      mails.map(({ traceId }) => traceId ?? null),
      mails.map(({ errorCode }) => errorCode),
    ]);
    return rows.map(recordOf);
  }

  /** Where those stand that {@link told} has not been called for since they died. */
  async untold(mails: readonly DeadMail[]): Promise<readonly SendRecord[]> {
    const { rows } = await this.pool.query<SendRecordRow>(UNTOLD, deaths(mails));
    return rows.map(recordOf);
  }

  async told(mails: readonly DeadMail[]): Promise<void> {
    await this.pool.query(TOLD, deaths(mails));
  }
}

function deaths(mails: readonly DeadMail[]): unknown[] {
  return [
    mails.map(({ bookingId }) => bookingId),
    mails.map(({ version }) => version),
    mails.map(({ deadAt }) => deadAt.toISOString()),
  ];
}
