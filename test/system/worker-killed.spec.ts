import { eventually } from '@eticket/service/testing';
import type pg from 'pg';
import { Mailbox, mailsByMessageId, type ReceivedMail } from './support/mailbox.js';
import { bookingBodies, postAll } from './support/many-bookings.js';
import { openDatabase } from './support/open-database.js';
import { PersonalData } from './support/personal-data.js';
import { Pipeline } from './support/pipeline.js';
import { QueueView } from './support/queue-view.js';
import { retriesIn, type Retries } from './support/sent-twice.js';
import { Traveller, type Answer, type BookingAnswer } from './support/traveller.js';

const BOOKINGS = 200;
/** The other bookings are made while mails go out. */
const BACKLOG = 150;
const MAILS_BEFORE = 50;
/** Mails that one worker has under way at most (MAIL_CONCURRENCY). */
const CONCURRENCY = 10;

describe('kill -9 of one of two workers, about 50 mails into 200 (P3)', () => {
  const personal = new PersonalData();
  let pipeline: Pipeline;
  let queue: QueueView;
  let pool: pg.Pool;
  let answers: readonly Answer<BookingAnswer>[];
  let mailsUnderWay: number;
  let mailsAtTheKill: number;
  let mails: readonly ReceivedMail[];
  let retries: Retries;

  beforeAll(async () => {
    // A claim of a mail outlasts the deadline of a sending: the shorter, the sooner another worker may have it.
    pipeline = await Pipeline.start(['--workers', '2'], {
      MAIL_SEND_DEADLINE_MS: '5000',
      MAIL_CONCURRENCY: String(CONCURRENCY),
    });
    const connectionString = await pipeline.databaseUrl();
    queue = new QueueView(connectionString);
    pool = openDatabase(connectionString);
    const traveller = new Traveller(pipeline.bookingUrl, personal);
    const mailbox = new Mailbox(pipeline.inboxUrl);
    const body = await bookingBodies(traveller);
    const bodies = Array.from({ length: BOOKINGS }, (_, number) => body(number));

    // Held still while a backlog grows: then both have their hands full, however quick the machine is.
    signalWorkers('SIGSTOP');
    const early = await postAll(traveller, bodies.slice(0, BACKLOG));
    signalWorkers('SIGCONT');
    const posting = postAll(traveller, bodies.slice(BACKLOG));
    await eventually(async () => (await mailbox.count()) >= MAILS_BEFORE, { deadlineMs: 60_000, everyMs: 1 });
    mailsUnderWay = await stopInTheMiddleOfMails();
    process.kill(killed(), 'SIGKILL');
    mailsAtTheKill = await mailbox.count();
    process.kill(other(), 'SIGCONT');
    answers = [...early, ...(await posting)];
    await queue.settled(90_000);
    mails = await mailbox.all();
    retries = await retriesIn(pool);
  }, 240_000);
  afterAll(async () => {
    await queue?.close();
    await pool?.end();
    await pipeline?.remove();
  }, 60_000);

  function signalWorkers(signal: 'SIGSTOP' | 'SIGCONT'): void {
    for (const pid of pipeline.workerPids) process.kill(pid, signal);
  }

  const killed = () => pipeline.workerPids[0] as number;
  const other = () => pipeline.workerPids[1] as number;

  /**
   * Resolves with how many mails the worker to kill is sending, held still in the middle of them. The other one is held
   * still before, so that what has become `sending` since can only be the first one's.
   */
  async function stopInTheMiddleOfMails(): Promise<number> {
    process.kill(other(), 'SIGSTOP');
    const ofTheOther = new Set(await mailsBeingSent());
    let own: readonly string[] = [];
    await eventually(
      async () => {
        process.kill(killed(), 'SIGCONT');
        await eventually(async () => (await mailsBeingSent()).some((id) => !ofTheOther.has(id)), { everyMs: 1 });
        process.kill(killed(), 'SIGSTOP');
        // What it had asked of the database before it was stopped may still be carried out.
        await eventually(async () => (await statementsUnderWay()) === 0);
        own = (await mailsBeingSent()).filter((id) => !ofTheOther.has(id));
        return own.length > 0;
      },
      { deadlineMs: 30_000, everyMs: 1 },
    );
    return own.length;
  }

  async function mailsBeingSent(): Promise<readonly string[]> {
    const { rows } = await pool.query<{ readonly message_id: string }>(
      `select message_id from mail_eticket.send_record where state = 'sending'`,
    );
    return rows.map((row) => row.message_id);
  }

  async function statementsUnderWay(): Promise<number> {
    const { rows } = await pool.query<{ readonly statements: number }>(
      `select count(*)::int as statements from pg_stat_activity where application_name = 'mail-eticket' and state = 'active'`,
    );
    return rows[0]?.statements ?? 0;
  }

  it('happened in the middle, with mails under way', () => {
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(BOOKINGS);
    expect(mailsAtTheKill).toBeLessThan(BOOKINGS);
    expect(mailsUnderWay).toBeGreaterThan(0);
    expect(retries.triedAgain.length).toBeGreaterThanOrEqual(mailsUnderWay);
  });

  it('loses no mail: 200 bookings have 200 mails under 200 Message-IDs', () => {
    const recipients = new Set(mails.flatMap(({ to }) => to));
    expect(recipients).toEqual(new Set(answers.map(({ body }) => body.data?.contact.email)));
    expect(mailsByMessageId(mails).size).toBe(BOOKINGS);
  });

  it('tries again only what the killed worker had under way, and marks what may have gone out twice', () => {
    expect(retries.triedAgain.length).toBeLessThanOrEqual(CONCURRENCY);
    const twice = [...mailsByMessageId(mails)].filter(([, copies]) => copies.length > 1);
    for (const [messageId, copies] of twice) {
      expect(retries.possiblySentTwice).toContain(messageId);
      expect(copies).toHaveLength(2);
      // Mailboxes that look for duplicates drop it: it is the same mail to the last byte.
      expect(new Set(copies.map(({ source }) => source)).size).toBe(1);
    }
  });

  it('gives nothing up', async () => {
    expect(await queue.deadLetters()).toEqual([]);
  });

  it('leaves nothing running and nothing personal in any log', async () => {
    expect(await pipeline.interrupt()).toBe(0);
    const logs = await pipeline.logs();
    expect(logs).toContain('mail worker 1 ended (SIGKILL); it is started again');
    expect(personal.foundIn(logs)).toEqual([]);
  });
});
