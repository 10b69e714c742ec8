import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, testDatabase, type TestDatabase } from '@eticket/service/testing';
import { freePort } from './support/free-port.js';
import { Mailbox, mailsByMessageId, type ReceivedMail } from './support/mailbox.js';
import { bookingBodies, postAll } from './support/many-bookings.js';
import { PersonalData } from './support/personal-data.js';
import { QueueView } from './support/queue-view.js';
import { Services, type Service } from './support/services.js';
import { Traveller, type Answer, type BookingAnswer, type Mail } from './support/traveller.js';

const BOOKINGS = 100;
/** Often enough to see that it keeps trying. */
const FAULTS_MET = 3;

describe('While the SMTP server is away', () => {
  const services = new Services();
  const personal = new PersonalData();
  let database: TestDatabase;
  let queue: QueueView;
  let folder: string;
  let before: readonly Answer<BookingAnswer>[];
  let meanwhile: readonly Answer<BookingAnswer>[];
  let mailMeanwhile: Mail;
  let readyMeanwhile: number;
  let mails: readonly ReceivedMail[];

  beforeAll(async () => {
    database = await testDatabase();
    queue = new QueueView(database.connectionString);
    folder = await mkdtemp(join(tmpdir(), 'eticket-inbox-'));
    const smtpPort = await freePort();
    const startInbox = () => services.startReady('inbox', { SMTP_PORT: String(smtpPort), INBOX_DIR: folder });
    const shared = { DATABASE_URL: database.connectionString };
    const [booking, worker, inbox] = await Promise.all([
      services.startReady('booking', shared),
      services.startReady('mail-eticket', {
        ...shared,
        SMTP_URL: `smtp://127.0.0.1:${smtpPort}`,
        MAIL_PROBE_MAX_MS: '500',
      }),
      startInbox(),
    ]);
    const traveller = new Traveller(booking.url, personal);
    const body = await bookingBodies(traveller);
    const bodies = Array.from({ length: 2 * BOOKINGS }, (_, number) => body(number));

    before = await postAll(traveller, bodies.slice(0, BOOKINGS));
    await queue.settled(60_000);
    await inbox.stop();
    meanwhile = await postAll(traveller, bodies.slice(BOOKINGS));
    await eventually(async () => (await faultsMetBy(worker)) >= FAULTS_MET, { deadlineMs: 30_000 });
    mailMeanwhile = await eventually(async () => {
      const found = await Promise.all(meanwhile.flatMap(({ body: { data } }) => (data ? traveller.mailOf(data) : [])));
      return found.find(({ status }) => status === 'delayed') ?? false;
    });
    readyMeanwhile = (await fetch(`${worker.url}/health/ready`)).status;

    const back = await startInbox();
    await queue.settled(60_000);
    mails = await new Mailbox(back.url).all();
  }, 180_000);
  afterAll(async () => {
    await services.killAll();
    await queue?.close();
    await database?.drop();
    await rm(folder, { recursive: true, force: true });
  }, 30_000);

  it('every booking is answered 201, about as quickly as ever', () => {
    for (const answers of [before, meanwhile]) {
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(BOOKINGS);
    }
    // Waiting for a mail would be many times as long; on a busy machine an ordinary answer may take twice as long.
    expect(medianOf(meanwhile) / medianOf(before)).toBeLessThan(4);
  });

  it('the booking says that its mail is delayed and why, and the worker that it is not ready', () => {
    expect(mailMeanwhile).toMatchObject({ status: 'delayed', reason: 'mail_server_unavailable' });
    expect(readyMeanwhile).toBe(503);
  });

  it('no mail is lost, none goes out twice and none is given up: all are there once the server is back', async () => {
    const booked = [...before, ...meanwhile].map(({ body }) => body.data?.contact.email);
    expect(mails.flatMap(({ to }) => to).sort()).toEqual([...booked].sort());
    expect(mailsByMessageId(mails).size).toBe(2 * BOOKINGS);
    expect(await queue.deadLetters()).toEqual([]);
  });

  it('no log holds anything personal', () => {
    expect(services.logs()).toContain('the line is stopped');
    expect(personal.foundIn(services.logs())).toEqual([]);
  });
});

/** How many sendings found no server, as the worker's metrics count them. */
async function faultsMetBy(worker: Service): Promise<number> {
  const text = await (await fetch(`${worker.url}/metrics`)).text();
  const counted = text.match(/^mail_eticket_mails_total\{[^}]*code="mail_server_unavailable"[^}]*\} \d+/gm) ?? [];
  return counted.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

function medianOf(answers: readonly Answer<BookingAnswer>[]): number {
  const sorted = answers.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
