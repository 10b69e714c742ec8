import { randomUUID } from 'node:crypto';
import { eventually, testDatabase, type TestDatabase } from '@eticket/service/testing';
import { DatabaseGate } from './support/database-gate.js';
import { freePort } from './support/free-port.js';
import { Mailbox } from './support/mailbox.js';
import { bookingBodies } from './support/many-bookings.js';
import { PersonalData } from './support/personal-data.js';
import { QueueView } from './support/queue-view.js';
import { Services, type Service } from './support/services.js';
import { Traveller, type Booking, type BookingBody } from './support/traveller.js';

const SAME_KEY_POSTS = 20;

/** A story in order: each step finds what the one before left. */
describe('Services that come, go and come back', () => {
  const services = new Services();
  const personal = new PersonalData();
  let database: TestDatabase;
  let gate: DatabaseGate;
  let queue: QueueView;
  let mailbox: Mailbox;
  let smtpPort: number;
  let booking: Service;
  let worker: Service;
  let traveller: Traveller;
  let body: (number: number) => BookingBody;
  let early: readonly Booking[];

  beforeAll(async () => {
    database = await testDatabase();
    gate = await DatabaseGate.before(database.connectionString);
    queue = new QueueView(database.connectionString);
    smtpPort = await freePort();
    const [bookingService, inbox] = await Promise.all([
      services.startReady('booking', { DATABASE_URL: database.connectionString }),
      services.startReady('inbox', { SMTP_PORT: String(smtpPort) }),
    ]);
    booking = bookingService;
    mailbox = new Mailbox(inbox.url);
    traveller = new Traveller(booking.url, personal);
    body = await bookingBodies(traveller);
  }, 60_000);
  afterAll(async () => {
    await services.killAll();
    await queue?.close();
    await gate?.remove();
    await database?.drop();
  }, 30_000);

  const mailsTo = async ({ contact }: Booking) => (await mailbox.all()).filter(({ to }) => to.includes(contact.email));

  it('three bookings are answered 201 before any worker ever ran, their mails queued', async () => {
    early = await Promise.all([0, 1, 2].map((number) => traveller.book(body(number))));
    for (const one of early) expect((await traveller.mailOf(one)).status).toBe('queued');
  });

  it('a worker that starts without its database lives, and is not ready, which it explains', async () => {
    gate.shut();
    worker = await services.start('mail-eticket', {
      DATABASE_URL: gate.connectionString,
      SMTP_URL: `smtp://127.0.0.1:${smtpPort}`,
    });
    expect(JSON.parse(await worker.untilReadiness(503))).toMatchObject({
      status: 'error',
      error: { database: { status: 'down' } },
    });
    expect((await fetch(`${worker.url}/health/live`)).status).toBe(200);
    expect(await mailbox.count()).toBe(0);
  });

  it('the worker’s group, made only now, starts at the beginning: three mails (P4)', async () => {
    gate.open();
    await worker.untilReadiness(200);
    await queue.settled(30_000);
    const recipients = (await mailbox.all()).flatMap(({ to }) => to);
    expect(recipients.sort()).toEqual(early.map(({ contact }) => contact.email).sort());
    for (const one of early) await eventually(async () => (await traveller.mailOf(one)).status === 'sent');
  });

  it('a booking is answered 201 while the worker has lost its database, and mailed once it has it again', async () => {
    gate.shut();
    await worker.untilReadiness(503);
    const booked = await traveller.book(body(10));
    expect((await traveller.mailOf(booked)).status).toBe('queued');
    gate.open();
    await worker.untilReadiness(200);
    await queue.settled(30_000);
    expect(await mailsTo(booked)).toHaveLength(1);
  });

  it('20 posts at once with one Idempotency-Key make one booking and one mail; with it another request is refused (P16)', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const answers = await Promise.all(Array.from({ length: SAME_KEY_POSTS }, () => traveller.post(body(20), headers)));
    const outcomes = answers.map(({ status, body: { code } }) => `${status} ${code ?? ''}`.trim());
    expect(['201', '409 request_in_progress']).toEqual(expect.arrayContaining([...new Set(outcomes)]));
    const repeat = await traveller.post(body(20), headers);
    expect(repeat.status).toBe(201);
    const { mail: _, ...first } = repeat.body.data as Booking;
    const booked = answers.flatMap(({ body: { data } }) => data ?? []);
    expect(booked.length).toBeGreaterThan(0);
    for (const one of booked) expect(one).toMatchObject(first);
    expect(await traveller.post(body(21), headers)).toMatchObject({
      status: 422,
      body: { code: 'idempotency_key_reused' },
    });

    await queue.settled(30_000);
    expect(await mailsTo(first as Booking)).toHaveLength(1);
    const { rows } = await database.pool.query('select 1 from booking.bookings where id = $1 or reference = $2', [
      first.id,
      first.reference,
    ]);
    expect(rows).toHaveLength(1);
    expect(await mailbox.count()).toBe(early.length + 2);
  });

  it('the booking service without its database is not ready and asks to come again; with it, it books', async () => {
    const second = await services.startReady('booking', { DATABASE_URL: gate.connectionString });
    gate.shut();
    await second.untilReadiness(503);
    const behindTheGate = new Traveller(second.url, personal);
    const answer = await behindTheGate.post(body(30));
    expect(answer).toMatchObject({ status: 503, body: { code: 'service_unavailable' } });
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    gate.open();
    await second.untilReadiness(200);
    expect((await behindTheGate.post(body(30))).status).toBe(201);
  });

  it('all of them end cleanly when asked to, and no log holds anything personal', async () => {
    await worker.untilReadiness(200);
    expect(await worker.stop()).toBe(0);
    expect(await booking.stop()).toBe(0);
    expect(services.logs()).toContain('e-ticket sent');
    expect(personal.foundIn(services.logs())).toEqual([]);
  });
});
