import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  eventually,
  OtlpCollector,
  testDatabase,
  type CollectedSpan,
  type TestDatabase,
} from '@eticket/service/testing';
import { readCommandLine, readStandaloneConfig, startStandalone, type RunningStandalone } from '@eticket/standalone';
import { sampleBookings } from '@eticket/standalone/sample-bookings';
import { PersonalData } from './support/personal-data.js';
import { Traveller, type Booking } from './support/traveller.js';

const DEADLINE = { deadlineMs: 60_000 };
const [TRACE, CALLER] = ['5'.repeat(32), '7'.repeat(16)];
const TRACEPARENT = `00-${TRACE}-${CALLER}-01`;

describe('The traces of npm start', () => {
  const personal = new PersonalData();
  let database: TestDatabase;
  let dataDir: string;
  let collector: OtlpCollector;
  let standalone: RunningStandalone | undefined;

  beforeEach(async () => {
    collector = await OtlpCollector.start();
    database = await testDatabase();
    dataDir = await mkdtemp(join(tmpdir(), 'traces-'));
  });
  afterEach(async () => {
    await standalone?.stop();
    await database.drop();
    await collector.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  async function start(tracing: Readonly<Record<string, string>>): Promise<void> {
    const free = ['PORT', 'WORKER_PORT', 'INBOX_PORT', 'SMTP_PORT', 'PAYMENT_PORT'].map((name) => [name, '0']);
    const env = {
      ...(Object.fromEntries(free) as Record<string, string>),
      DATABASE_URL: database.connectionString,
      DATA_DIR: dataDir,
      MAIL_PDF: 'false',
      LOG_LEVEL: 'fatal',
      ...tracing,
    };
    standalone = await startStandalone(readStandaloneConfig(readCommandLine([], env), env));
  }

  /** Books, and waits until the confirmation page says that the mail is sent. */
  async function book(): Promise<Booking> {
    const traveller = new Traveller(standalone?.url ?? '', personal);
    const [sample] = await sampleBookings();
    if (!sample) throw new Error('there are no sample bookings');
    const offer = await eventually(() => traveller.cheapestOffer(sample.search), DEADLINE);
    const { status, body } = await traveller.post(sample.body(offer.id), { traceparent: TRACEPARENT });
    if (!body.data) throw new Error(`not booked: ${status}`);
    const booking = body.data;
    await eventually(async () => expect((await traveller.mailOf(booking)).status).toBe('sent'), DEADLINE);
    return booking;
  }

  it('lead from the request over the queue to the mail and back, and hold nothing personal', async () => {
    await start(collector.env);
    const booking = await book();
    const ofTrace = () => collector.spans.filter(({ traceId }) => traceId === TRACE);
    const heard = () => ofTrace().filter(({ name }) => name === 'process eticket-mail-status');
    const published = () => collector.named('publish eticket-mail-status');
    // It is sending, and it is sent. Each is linked by the publish that it went with.
    await eventually(() => {
      expect(heard()).toHaveLength(2);
      expect(published().flatMap(({ links }) => links)).toHaveLength(2);
      expect(collector.named('POST /api/bookings')).toHaveLength(1);
      expect(collector.named('process eticket-confirmed')).toHaveLength(1);
    }, DEADLINE);

    const request = collector.the('POST /api/bookings');
    const enqueued = collector.the('publish eticket-confirmed');
    const handled = collector.the('process eticket-confirmed');
    const sent = collector.the('smtp send');
    expect(placeOf(request)).toEqual(['booking', TRACE, CALLER]);
    expect(placeOf(collector.the('payment authorise'))).toEqual(['booking', TRACE, request.spanId]);
    expect(placeOf(enqueued)).toEqual(['booking', TRACE, request.spanId]);
    expect(placeOf(handled)).toEqual(['mail-eticket', TRACE, enqueued.spanId]);
    expect(placeOf(collector.the('compose e-ticket'))).toEqual(['mail-eticket', TRACE, handled.spanId]);
    expect(placeOf(sent)).toEqual(['mail-eticket', TRACE, handled.spanId]);
    for (const span of heard()) expect(placeOf(span)).toEqual(['booking', TRACE, handled.spanId]);
    for (const span of published()) {
      expect([span.service, span.parentSpanId]).toEqual(['mail-eticket', undefined]);
      expect(span.links.every((link) => link.traceId === TRACE && link.spanId === handled.spanId)).toBe(true);
    }
    expect(collector.spans.filter(({ failed }) => failed)).toEqual([]);

    expect(request.attributes).toMatchObject({ 'http.route': '/api/bookings', 'http.response.status_code': 201 });
    expect(handled.attributes).toMatchObject({ 'messaging.message.id': enqueued.attributes['messaging.message.id'] });
    expect(sent.attributes).toEqual({
      'network.protocol.name': 'smtp',
      'server.address': '127.0.0.1',
      'server.port': standalone?.inbox?.smtpPort,
      'eticket.mail.outcome': 'sent',
      'eticket.smtp.stage': 'handed-over',
      'eticket.smtp.reply_class': '2xx',
      'eticket.smtp.queue_id': expect.any(String) as unknown,
    });

    expect(personal.size).toBeGreaterThan(5);
    expect(personal.foundIn(collector.received)).toEqual([]);
    expect(collector.received).not.toContain(booking.reference);
  });

  it('cost no booking and no mail when the collector does not answer', async () => {
    collector.answer = 'nothing';
    await start(collector.env);
    await book();
    expect(collector.spans).toEqual([]);
  });
});

function placeOf({ service, traceId, parentSpanId }: CollectedSpan): readonly unknown[] {
  return [service, traceId, parentSpanId];
}
