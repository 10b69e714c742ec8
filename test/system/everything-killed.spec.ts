import { randomUUID } from 'node:crypto';
import { eventually } from '@eticket/service/testing';
import type pg from 'pg';
import { Mailbox, mailsByMessageId, type ReceivedMail } from './support/mailbox.js';
import { bookingBodies } from './support/many-bookings.js';
import { openDatabase } from './support/open-database.js';
import { PersonalData } from './support/personal-data.js';
import { Pipeline } from './support/pipeline.js';
import { QueueView } from './support/queue-view.js';
import { retriesIn } from './support/sent-twice.js';
import { Traveller, type Booking, type BookingBody } from './support/traveller.js';

const TRAVELLERS = 60;
const ANSWERS_BEFORE = 20;
/** Processes of a start: Node, PostgreSQL, and what PostgreSQL has for itself. */
const FEWEST_PROCESSES = 5;

/** One request, and what came of it before the kill. */
interface Attempt {
  readonly key: string;
  readonly body: BookingBody;
  booking?: Booking;
}

describe('kill -9 of everything while bookings are posted, and a start on what is left', () => {
  const personal = new PersonalData();
  let pipeline: Pipeline;
  let killed: number;
  let attempts: readonly Attempt[];
  let answeredBefore: readonly Booking[];
  let traveller: Traveller;
  let queue: QueueView;
  let pool: pg.Pool;
  let mails: readonly ReceivedMail[];

  beforeAll(async () => {
    pipeline = await Pipeline.start([], { MAIL_SEND_DEADLINE_MS: '5000' });
    const first = new Traveller(pipeline.bookingUrl, personal);
    const body = await bookingBodies(first);
    attempts = Array.from({ length: TRAVELLERS }, (_, number) => ({ key: randomUUID(), body: body(number) }));
    const answered = () => attempts.flatMap(({ booking }) => booking ?? []);
    const posting = Promise.allSettled(fourAtOnce(attempts, (attempt) => post(first, attempt)));
    await eventually(() => answered().length >= ANSWERS_BEFORE, { deadlineMs: 60_000, everyMs: 1 });
    killed = await pipeline.killEverything();
    await posting;
    answeredBefore = answered();

    await pipeline.startAgain();
    traveller = new Traveller(pipeline.bookingUrl, personal);
    const connectionString = await pipeline.databaseUrl();
    queue = new QueueView(connectionString);
    pool = openDatabase(connectionString);
    // Who got no answer asks again, as browsers do: with the same key.
    for (const attempt of attempts) {
      if (!attempt.booking) await eventually(() => post(traveller, attempt), { deadlineMs: 60_000 });
    }
    await queue.settled(90_000);
    mails = await new Mailbox(pipeline.inboxUrl).all();
  }, 240_000);
  afterAll(async () => {
    await queue?.close();
    await pool?.end();
    await pipeline?.remove();
  }, 60_000);

  it('happened in the middle, PostgreSQL included', () => {
    expect(killed).toBeGreaterThanOrEqual(FEWEST_PROCESSES);
    expect(answeredBefore.length).toBeGreaterThanOrEqual(ANSWERS_BEFORE);
    expect(answeredBefore.length).toBeLessThan(TRAVELLERS);
  });

  it('loses no booking: each opens with the token of its 201', async () => {
    for (const booking of answeredBefore) {
      const { status, body } = await traveller.show(booking, booking.accessToken);
      expect([status, body.data?.reference, body.data?.total]).toEqual([200, booking.reference, booking.total]);
    }
  });

  it('has made one booking for each traveller, also for those who had to ask again', async () => {
    const { rows } = await pool.query<{ id: string }>('select id from booking.bookings');
    expect(rows.map(({ id }) => id).sort()).toEqual(attempts.map(({ booking }) => booking?.id).sort());
  });

  it('sends each booking its one mail', async () => {
    const ids = attempts.flatMap(({ booking }) => (booking ? traveller.mailOf(booking) : []));
    const announced = (await Promise.all(ids)).map(({ messageId }) => messageId);
    const byMessageId = mailsByMessageId(mails);
    expect([...byMessageId.keys()].sort()).toEqual(announced.sort());
    // Of a mail that the inbox had and the worker had not noted yet there may be a second copy, never of another.
    const { possiblySentTwice } = await retriesIn(pool);
    const twice = [...byMessageId].filter(([, copies]) => copies.length > 1).map(([messageId]) => messageId);
    expect(possiblySentTwice).toEqual(expect.arrayContaining(twice));
    expect(mails.length).toBe(TRAVELLERS + twice.length);
    expect(await queue.deadLetters()).toEqual([]);
  });

  it('leaves nothing running and nothing personal in any log', async () => {
    expect(await pipeline.interrupt()).toBe(0);
    expect(personal.foundIn(await pipeline.logs())).toEqual([]);
  });
});

/** True when it was booked. A connection that breaks is an error; so is an answer other than 201. */
async function post(traveller: Traveller, attempt: Attempt): Promise<boolean> {
  const { status, body } = await traveller.post(attempt.body, { 'idempotency-key': attempt.key });
  if (status !== 201 || !body.data) throw new Error(`answered ${status} ${body.code}`);
  attempt.booking = body.data;
  return true;
}

function fourAtOnce<T>(items: readonly T[], work: (item: T) => Promise<unknown>): readonly Promise<void>[] {
  const rest = items.values();
  return Array.from({ length: 4 }, async () => {
    for (const item of rest) await work(item);
  });
}
