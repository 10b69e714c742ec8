import { migrateSchema } from '@eticket/service';
import { testDatabase } from '@eticket/service/testing';
import type { TestDatabase } from '@eticket/service/testing';
import { randomUUID } from 'node:crypto';
import { MAIL_ETICKET_MIGRATIONS, MAIL_ETICKET_SCHEMA } from './send-record.migrations.js';
import { SendRecordRepository } from './send-record.repository.js';
import type { MailIdentity, SendClaim } from './send-record.repository.js';

const CLAIM_MS = 60_000;

describe('The send record', () => {
  let database: TestDatabase;
  let records: SendRecordRepository;

  beforeAll(async () => {
    database = await testDatabase();
    // Two workers that start together bring the schema up together.
    const migrate = () =>
      migrateSchema(database.pool, { schema: MAIL_ETICKET_SCHEMA, migrations: MAIL_ETICKET_MIGRATIONS });
    await Promise.all([migrate(), migrate()]);
    records = new SendRecordRepository(database.pool, Promise.resolve());
  });
  afterAll(() => database.drop());

  const mail = (): MailIdentity => {
    const bookingId = randomUUID();
    return { eventId: randomUUID(), bookingId, version: 1, messageId: `<eticket.${bookingId}.v1@meridian.example>` };
  };
  async function claimed(identity: MailIdentity, claimMs = CLAIM_MS): Promise<SendClaim> {
    const result = await records.claim(identity, claimMs);
    if (result.type !== 'claimed') throw new Error(`expected the claim, got ${result.type}`);
    return result.claim;
  }
  /** As if the claim's time had passed. */
  const expire = ({ bookingId }: MailIdentity) =>
    database.pool.query(
      `UPDATE mail_eticket.send_record SET claimed_until = now() - interval '1 second' WHERE booking_id = $1`,
      [bookingId],
    );

  it('gives a mail to one of many workers that ask at the same time', async () => {
    const identity = mail();
    const results = await Promise.all(Array.from({ length: 20 }, () => records.claim(identity, CLAIM_MS)));
    expect(results.filter(({ type }) => type === 'claimed')).toHaveLength(1);
    const others = results.filter((result) => result.type === 'claimed-by-another');
    expect(others).toHaveLength(19);
    for (const { remainingMs } of others) {
      expect(remainingMs).toBeGreaterThan(CLAIM_MS - 10_000);
      expect(remainingMs).toBeLessThanOrEqual(CLAIM_MS);
    }
  });

  it('takes two events of one booking version for one mail', async () => {
    const identity = mail();
    await records.finish(await claimed(identity), { state: 'sent' });
    const repeated = await records.claim({ ...identity, eventId: randomUUID() }, CLAIM_MS);
    expect(repeated).toMatchObject({ type: 'already-sent', record: { eventId: identity.eventId, state: 'sent' } });
  });

  it('gives each version of a booking its own mail', async () => {
    const identity = mail();
    await records.finish(await claimed(identity), { state: 'sent' });
    expect(await records.claim({ ...identity, eventId: randomUUID(), version: 2 }, CLAIM_MS)).toMatchObject({
      type: 'claimed',
    });
  });

  it('tells a worker that a later version of the booking was mailed before', async () => {
    const identity = mail();
    const later = { ...identity, eventId: randomUUID(), version: 2 };
    expect((await claimed(identity)).superseded).toBe(false);
    await expire(identity);
    const newer = await claimed(later);
    expect(newer.superseded).toBe(false);
    expect((await claimed(identity)).superseded).toBe(false);
    await expire(identity);
    await records.finish(newer, { state: 'sent' });
    expect((await claimed(identity)).superseded).toBe(true);
    expect((await claimed({ ...identity, eventId: randomUUID(), version: 3 })).superseded).toBe(false);
  });

  it('knows that a mail is sent, and when', async () => {
    const identity = mail();
    const record = await records.finish(await claimed(identity), { state: 'sent' });
    expect(record).toMatchObject({ state: 'sent', attempts: 1, unknownOutcomes: 0, possiblySentTwice: false });
    expect(Math.abs((record?.sentAt?.getTime() ?? 0) - Date.now())).toBeLessThan(5_000);
    expect(await records.claim(identity, CLAIM_MS)).toMatchObject({ type: 'already-sent' });
  });

  it.each(['pending', 'unknown', 'failed'] as const)('lets a mail that ended as %s be tried again', async (state) => {
    const identity = mail();
    await records.finish(await claimed(identity), { state, reason: 'some_reason' });
    expect((await claimed(identity)).record).toMatchObject({ state: 'sending', attempts: 2, reason: undefined });
  });

  it('counts a crash in the middle of a sending as unknown, and shows the mail as possibly sent twice', async () => {
    const identity = mail();
    await claimed(identity);
    await expire(identity);
    const again = await claimed(identity);
    expect(again.record).toMatchObject({ attempts: 2, unknownOutcomes: 1, possiblySentTwice: false });
    expect(await records.finish(again, { state: 'sent' })).toMatchObject({
      possiblySentTwice: true,
      unknownOutcomes: 1,
    });
  });

  it('shows a mail with two unknown outcomes as possibly sent twice', async () => {
    const identity = mail();
    await records.finish(await claimed(identity), { state: 'unknown', reason: 'outcome_unknown' });
    const last = await records.finish(await claimed(identity), {
      state: 'failed',
      reason: 'outcome_unknown',
      outcomeUnknown: true,
    });
    expect(last).toMatchObject({ state: 'failed', unknownOutcomes: 2, possiblySentTwice: true });
  });

  it('refuses the word of a worker whose claim ran out and is another’s', async () => {
    const identity = mail();
    const slow = await claimed(identity);
    await expire(identity);
    const fast = await claimed(identity);
    expect(await records.finish(slow, { state: 'failed', reason: 'late' })).toBeUndefined();
    expect(await records.finish(fast, { state: 'sent' })).toMatchObject({ state: 'sent' });
    expect(await records.finish(fast, { state: 'failed', reason: 'twice' })).toBeUndefined();
  });

  it('accepts the word of a worker whose claim ran out when nobody else took it', async () => {
    const identity = mail();
    const slow = await claimed(identity);
    await expire(identity);
    expect(await records.finish(slow, { state: 'sent' })).toMatchObject({ state: 'sent', possiblySentTwice: false });
  });

  it('numbers statuses upwards through everything', async () => {
    const identity = mail();
    const revisions: number[] = [];
    for (const ending of [
      { state: 'pending', reason: 'a', nextTryInMs: 5_000 },
      { state: 'unknown', reason: 'b' },
      { state: 'failed', reason: 'c' },
      { state: 'sent' },
    ] as const) {
      const claim = await claimed(identity);
      revisions.push(claim.record.revision, (await records.finish(claim, ending))?.revision ?? 0);
    }
    expect(revisions).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('names the time of the next try by the database’s clock', async () => {
    const record = await records.finish(await claimed(mail()), {
      state: 'pending',
      reason: 'busy',
      nextTryInMs: 3_600_000,
    });
    const inMs = (record?.nextTryAt?.getTime() ?? 0) - (record?.updatedAt.getTime() ?? 0);
    expect(Math.abs(inMs - 3_600_000)).toBeLessThan(1_000);
  });

  it('holds no address and no name', async () => {
    const { rows } = await database.pool.query<{ column_name: string }>(
      `SELECT column_name FROM information_schema.columns WHERE table_schema = 'mail_eticket' AND table_name = 'send_record'`,
    );
    expect(
      rows.map(({ column_name }) => column_name).filter((name) => /mail|name|address|phone|recipient/.test(name)),
    ).toEqual([]);
  });
});
