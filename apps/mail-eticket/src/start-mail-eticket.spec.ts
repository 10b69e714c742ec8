import { QUEUES } from '@eticket/contracts';
import { eventually } from '@eticket/service/testing';
import { Doorway } from './testing/doorway.js';
import { cancelledEvent, eticketEvent } from './testing/eticket-fixtures.js';
import { WorkerLab } from './testing/worker-lab.js';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('The mail worker', () => {
  let lab: WorkerLab;
  beforeEach(async () => {
    lab = await WorkerLab.open();
  });
  afterEach(() => lab.close());

  const ready = async (url: string) => (await fetch(`${url}/health/ready`)).status;
  const metrics = async (url: string) => (await fetch(`${url}/metrics`)).text();

  it('mails an event once, and tells the booking so', async () => {
    const worker = await lab.startWorker({ attachPdf: true });
    const event = eticketEvent('family with an infant, return');
    await lab.publish(event);
    const sent = await lab.untilStatus(event, 'sent');
    expect(sent).toMatchObject({
      type: QUEUES.eticketMailStatus,
      version: 1,
      revision: 2,
      messageId: `<eticket.${event.booking.id}.v1@meridian.example>`,
    });
    expect(Math.abs(Date.parse(sent.sentAt ?? '') - Date.now())).toBeLessThan(60_000);
    expect(lab.statusesOf(event).map(({ status, revision }) => [revision, status])).toEqual([
      [1, 'sending'],
      [2, 'sent'],
    ]);
    expect(lab.relay.recipients).toEqual(['jordi.puig@example.cat']);
    expect(lab.relay.messages[0]).toContain('Content-Type: application/pdf');
    await lab.untilDrained();
    expect(await metrics(worker.url)).toContain('mail_eticket_mails_total{outcome="sent",reply_class="2xx",code=""} 1');
  });

  it('mails a cancellation, and no e-ticket that comes after it', async () => {
    const worker = await lab.startWorker();
    const event = eticketEvent();
    const cancelled = cancelledEvent(event);
    await lab.publish(cancelled);
    expect(await lab.untilStatus(cancelled, 'sent')).toMatchObject({ version: 2 });
    await lab.publish(event);
    await eventually(() => lab.statusesOf(event).some(({ version, status }) => version === 1 && status === 'failed'));
    await lab.untilDrained();
    expect(lab.relay.messageIds()).toEqual([`<eticket.${event.booking.id}.v2@meridian.example>`]);
    expect(lab.statusesOf(event)).toContainEqual(expect.objectContaining({ version: 1, reason: 'superseded' }));
    expect(await lab.deadLetters()).toEqual([]);
    expect(await metrics(worker.url)).toContain(
      'mail_eticket_mails_total{outcome="superseded",reply_class="none",code=""} 1',
    );
  });

  it('mails events that were there before its group ever was (P4)', async () => {
    const events = [eticketEvent(), eticketEvent(), eticketEvent()];
    for (const event of events) await lab.publish(event);
    await lab.startWorker();
    for (const event of events) await lab.untilStatus(event, 'sent');
    expect(lab.relay.accepted).toHaveLength(3);
  });

  it('delivers again what a relay defers: twice 451, then the mail (P5)', async () => {
    const refusals = new Map<string, number>();
    const events = Array.from({ length: 6 }, (_, index) =>
      eticketEvent('one adult, one way', {
        contact: { email: `traveller${index}@example.com`, phone: '+34911234567' },
      }),
    );
    lab.relay.script = ({ stage, line }) => {
      if (stage !== 'RCPT') return undefined;
      const count = (refusals.get(line) ?? 0) + 1;
      refusals.set(line, count);
      return count <= 2 ? '451 4.7.1 Greylisted' : undefined;
    };
    const worker = await lab.startWorker();
    for (const event of events) await lab.publish(event);
    for (const event of events) await lab.untilStatus(event, 'sent');
    expect([...refusals.values()]).toEqual([3, 3, 3, 3, 3, 3]);
    expect(new Set(lab.relay.accepted).size).toBe(6);
    expect(lab.relay.accepted).toHaveLength(6);
    expect(await lab.deadLetters()).toEqual([]);
    for (const event of events) {
      const statuses = lab.statusesOf(event);
      expect(statuses.map(({ status }) => status)).toEqual([
        'sending',
        'delayed',
        'sending',
        'delayed',
        'sending',
        'sent',
      ]);
      expect(statuses.map(({ revision }) => revision)).toEqual([1, 2, 3, 4, 5, 6]);
      expect(statuses[1]).toMatchObject({ reason: 'recipient_deferred', nextTryAt: expect.any(String) as string });
    }
    expect(await metrics(worker.url)).toContain(
      'mail_eticket_mails_total{outcome="deliver-again",reply_class="4xx",code="recipient_deferred"} 12',
    );
  });

  it('dead-letters at once what is no event, with its bytes, and mails the rest (P6)', async () => {
    const good = [eticketEvent(), eticketEvent()];
    const bad = [
      bytes('{"broken'),
      new Uint8Array(),
      bytes('{"type":"eticket-confirmed","booking":{}}'),
      new Uint8Array([0xff, 0xff]),
    ];
    await lab.startWorker();
    await lab.publish(good[0]!);
    await lab.queue.publish(
      QUEUES.eticketConfirmed,
      bad.map((payload, index) => ({ id: `bad-${index}`, key: 'some-key', headers: { 'x-trace': 'kept' }, payload })),
    );
    await lab.publish(good[1]!);
    for (const event of good) await lab.untilStatus(event, 'sent');
    await lab.untilDrained();
    const letters = [...(await lab.deadLetters())].sort((a, b) => a.id.localeCompare(b.id));
    expect(letters.map((letter) => Buffer.from(letter.payload))).toEqual(bad.map((payload) => Buffer.from(payload)));
    expect(letters.map(({ errorCode }) => errorCode)).toEqual([
      'invalid_json',
      'invalid_json',
      'invalid_payload',
      'invalid_json',
    ]);
    for (const letter of letters) {
      expect(letter).toMatchObject({
        deliveryCount: 1,
        key: 'some-key',
        reason: 'rejected',
        headers: { 'x-trace': 'kept' },
      });
    }
    expect(lab.relay.accepted).toHaveLength(2);
  });

  it('dead-letters a refused recipient, tells the booking, and mails after a redrive', async () => {
    lab.relay.script = ({ stage }) => (stage === 'RCPT' ? '550 5.1.1 <zoe+flights@example.ie>: unknown' : undefined);
    await lab.startWorker();
    const event = eticketEvent();
    await lab.publish(event);
    expect(await lab.untilStatus(event, 'failed')).toMatchObject({ reason: 'recipient_refused' });
    const [letter] = await eventually(async () => {
      const letters = await lab.deadLetters();
      return letters.length === 1 && letters;
    });
    expect(letter).toMatchObject({ errorCode: 'recipient_refused', deliveryCount: 1, reason: 'rejected' });
    expect(lab.logLines.join('')).toContain('the traveller must correct the address');
    expect(lab.logLines.join('')).not.toMatch(/zoe|O’Brien|OBRIEN/);

    lab.relay.script = () => undefined;
    await lab.queue
      .deadLetters(QUEUES.eticketConfirmed, 'mail-eticket')
      .redrive({ ids: [letter!.id] }, { actor: 'test' });
    expect(await lab.untilStatus(event, 'sent')).toMatchObject({ revision: 4 });
    expect(lab.relay.accepted).toHaveLength(1);
  });

  it('gives up after the last delivery, and the booking hears of it', async () => {
    lab.relay.script = ({ stage }) => (stage === 'RCPT' ? '450 4.2.0 busy' : undefined);
    await lab.startWorker({ maxDeliveries: 3 });
    const event = eticketEvent();
    await lab.publish(event);
    expect(await lab.untilStatus(event, 'failed')).toMatchObject({ reason: 'recipient_deferred', revision: 6 });
    await lab.untilDrained();
    expect(await lab.deadLetters()).toMatchObject([
      { reason: 'max_deliveries', errorCode: 'recipient_deferred', deliveryCount: 3 },
    ]);
  });

  it('stops the line while the relay is away: nothing is given up, everything is mailed once it is back', async () => {
    await lab.relay.stop();
    const worker = await lab.startWorker({ maxDeliveries: 2 });
    const events = Array.from({ length: 30 }, () => eticketEvent());
    for (const event of events) await lab.publish(event);
    await eventually(() => {
      const heard = lab.statuses.filter(({ status }) => status === 'delayed');
      // More probes than deliveries are allowed: a probe counts none.
      return heard.length > 6 && heard.every(({ reason }) => reason === 'mail_server_unavailable');
    });
    expect(await ready(worker.url)).toBe(503);
    expect(await (await fetch(`${worker.url}/health/ready`)).text()).toContain('mail_server_unavailable');
    await lab.relay.start();
    for (const event of events) await lab.untilStatus(event, 'sent');
    expect(lab.relay.accepted).toHaveLength(30);
    expect(new Set(lab.relay.accepted).size).toBe(30);
    expect(await lab.deadLetters()).toEqual([]);
    expect(await ready(worker.url)).toBe(200);
    const stops = lab.logLines.filter((line) => line.includes('the line is stopped'));
    expect(stops[0]).toContain('start it, or correct SMTP_URL');
  });

  it('stops the line on a refused password, and counts no delivery', async () => {
    let password = 'wrong';
    lab.relay.script = ({ stage }) => {
      if (stage === 'EHLO') return '250-relay.test\r\n250 AUTH PLAIN LOGIN';
      return stage === 'AUTH' && password === 'wrong' ? '535 5.7.8 Bad credentials' : undefined;
    };
    await lab.startWorker({ maxDeliveries: 1, smtpUrl: lab.relay.url.replace('//', '//user:secret@') });
    const event = eticketEvent();
    await lab.publish(event);
    await eventually(
      () => lab.statusesOf(event).filter(({ reason }) => reason === 'mail_server_login_refused').length > 2,
    );
    password = 'right';
    await lab.untilStatus(event, 'sent');
    expect(await lab.deadLetters()).toEqual([]);
    expect(lab.logLines.join('')).not.toContain('secret');
  });

  it('sends again under the same Message-ID when the outcome is unknown, and shows it (P10)', async () => {
    lab.relay.script = ({ stage, time }) => (stage === 'message' && time === 1 ? { do: 'destroy' } : undefined);
    await lab.startWorker();
    const event = eticketEvent();
    await lab.publish(event);
    await lab.untilStatus(event, 'sent');
    expect(lab.relay.messages).toHaveLength(2);
    expect(lab.relay.messages[0]).toBe(lab.relay.messages[1]);
    const { rows } = await lab.database.pool.query(
      'SELECT state, unknown_outcomes, possibly_sent_twice FROM mail_eticket.send_record',
    );
    expect(rows).toEqual([{ state: 'sent', unknown_outcomes: 1, possibly_sent_twice: true }]);
  });

  it('does not send for ever when every outcome is unknown', async () => {
    lab.relay.script = ({ stage }) => (stage === 'message' ? { do: 'destroy' } : undefined);
    await lab.startWorker();
    const event = eticketEvent();
    await lab.publish(event);
    expect(await lab.untilStatus(event, 'failed')).toMatchObject({ reason: 'outcome_unknown' });
    await lab.untilDrained();
    expect(lab.relay.messages).toHaveLength(3);
    expect(await lab.deadLetters()).toMatchObject([{ errorCode: 'outcome_unknown' }]);
  });

  it('sends nothing for an event that comes again', async () => {
    await lab.startWorker();
    const event = eticketEvent();
    await lab.publish(event);
    await lab.untilStatus(event, 'sent');
    await lab.publish(event, `${event.eventId}-again`);
    await lab.untilDrained();
    expect(lab.relay.messages).toHaveLength(1);
    expect(lab.newestStatus(event)).toMatchObject({ status: 'sent', revision: 2 });
    expect(lab.logLines.join('')).toContain('"why":"already-sent"');
  });

  it('tells the booking of a mail that was sent by a worker that died before it could', async () => {
    await lab.startWorker();
    const event = eticketEvent();
    await eventually(() => lab.database.pool.query('SELECT FROM mail_eticket.send_record'));
    await lab.database.pool.query(
      `INSERT INTO mail_eticket.send_record (event_id, booking_id, version, message_id, state, attempts, revision, sent_at)
       VALUES ($1, $2, 1, $3, 'sent', 1, 2, '2026-11-30T18:05:00Z')`,
      [event.eventId, event.booking.id, `<eticket.${event.booking.id}.v1@meridian.example>`],
    );
    await lab.publish(event);
    expect(await lab.untilStatus(event, 'sent')).toMatchObject({ revision: 2, sentAt: '2026-11-30T18:05:00.000Z' });
    expect(lab.relay.messages).toEqual([]);
  });

  it('sends one mail when two workers have one event at the same time', async () => {
    lab.relay.script = async ({ stage }) => {
      if (stage === 'message') await new Promise((resolve) => setTimeout(resolve, 300));
      return undefined;
    };
    await Promise.all([lab.startWorker(), lab.startWorker()]);
    const events = Array.from({ length: 10 }, () => eticketEvent());
    for (const event of events)
      await Promise.all([lab.publish(event, `${event.eventId}-a`), lab.publish(event, `${event.eventId}-b`)]);
    for (const event of events) await lab.untilStatus(event, 'sent');
    await lab.untilDrained();
    expect(lab.relay.messages).toHaveLength(10);
    expect(new Set(lab.relay.accepted).size).toBe(10);
    expect(await lab.deadLetters()).toEqual([]);
  }, 90_000);

  it('takes a mail over from a worker that died while sending it', async () => {
    await lab.startWorker();
    const event = eticketEvent();
    await eventually(async () => {
      await lab.database.pool.query('SELECT FROM mail_eticket.send_record');
    });
    await lab.database.pool.query(
      `INSERT INTO mail_eticket.send_record (event_id, booking_id, version, message_id, state, attempts, revision, claim_token, claimed_until)
       VALUES ($1, $2, 1, $3, 'sending', 1, 1, gen_random_uuid(), now() + interval '1 second')`,
      [event.eventId, event.booking.id, `<eticket.${event.booking.id}.v1@meridian.example>`],
    );
    await lab.publish(event);
    const sent = await lab.untilStatus(event, 'sent');
    expect(sent.revision).toBe(3);
    expect(lab.relay.messages).toHaveLength(1);
    const { rows } = await lab.database.pool.query(
      'SELECT attempts, possibly_sent_twice FROM mail_eticket.send_record',
    );
    expect(rows).toEqual([{ attempts: 2, possibly_sent_twice: true }]);
  });

  it('dead-letters an event whose contact is two recipients, and mails nobody (P13)', async () => {
    await lab.startWorker();
    const event = eticketEvent('one adult, one way', {
      contact: { email: 'a@x.test, b@evil.test', phone: '+34911234567' },
    });
    await lab.publish(event);
    expect(await lab.untilStatus(event, 'failed')).toMatchObject({ reason: 'recipient_invalid' });
    expect(lab.relay.recipients).toEqual([]);
  });

  it('gives up on an address that the relay has no SMTPUTF8 for, says why, and mails it over a relay that has', async () => {
    await lab.startWorker();
    const event = eticketEvent('one adult, one way', {
      contact: { email: 'lucía@example.es', phone: '+34911234567' },
    });
    await lab.publish(event);
    expect(await lab.untilStatus(event, 'failed')).toMatchObject({ reason: 'recipient_needs_smtputf8' });
    await lab.untilDrained();
    expect(lab.relay.senders).toEqual([]);
    const letters = await lab.deadLetters();
    expect(letters).toMatchObject([{ errorCode: 'recipient_needs_smtputf8', deliveryCount: 1 }]);
    expect(lab.logLines.join('')).toContain('has no SMTPUTF8: use one that has');

    lab.relay.script = ({ stage }) => (stage === 'EHLO' ? '250-relay.test\r\n250 SMTPUTF8' : undefined);
    lab.relay.cutConnections();
    await eventually(() => lab.relay.openConnections === 0);
    await lab.queue
      .deadLetters(QUEUES.eticketConfirmed, 'mail-eticket')
      .redrive({ ids: [letters[0]!.id] }, { actor: 'test' });
    await lab.untilStatus(event, 'sent');
    expect(lab.relay.accepted).toHaveLength(1);
  });

  it('passes a sane trace on and no other (P14)', async () => {
    await lab.startWorker();
    const traces: (string | undefined)[] = [];
    const tail = lab.queue.tail({ queue: QUEUES.eticketMailStatus, from: 'beginning' }, ({ headers }) => {
      traces.push(headers.traceparent);
    });
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    for (const value of [traceparent, `${traceparent}\r\nx-evil: 1`]) {
      const event = eticketEvent();
      await lab.queue.publish(QUEUES.eticketConfirmed, {
        payload: bytes(JSON.stringify(event)),
        headers: { traceparent: value },
      });
      await lab.untilStatus(event, 'sent');
    }
    await eventually(() => traces.length === 4);
    expect(traces.filter((trace) => trace === traceparent)).toHaveLength(2);
    expect(traces.filter((trace) => trace === undefined)).toHaveLength(2);
    await tail.close();
  });

  it('leads from a booking to its trace and to the relay’s own log', async () => {
    lab.relay.script = ({ stage }) => (stage === 'message' ? '250 2.0.0 Ok: queued as 4Xq0Yz1B2c' : undefined);
    await lab.startWorker();
    const event = eticketEvent();
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    await lab.queue.publish(QUEUES.eticketConfirmed, {
      payload: bytes(JSON.stringify(event)),
      headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
    });
    expect(await lab.untilStatus(event, 'sent')).toMatchObject({ relayId: '4Xq0Yz1B2c' });
    const line = await eventually(() => lab.logLines.find((candidate) => candidate.includes('e-ticket sent')) ?? false);
    expect(JSON.parse(line)).toMatchObject({ bookingId: event.booking.id, traceId, relayId: '4Xq0Yz1B2c' });
    const { rows } = await lab.database.pool.query(
      'SELECT booking_id, trace_id, relay_id FROM mail_eticket.send_record',
    );
    expect(rows).toEqual([{ booking_id: event.booking.id, trace_id: traceId, relay_id: '4Xq0Yz1B2c' }]);
  });

  it('logs each mail with its event and without a word about the traveller', async () => {
    await lab.startWorker();
    const event = eticketEvent('names as people write them');
    await lab.publish(event);
    await lab.untilStatus(event, 'sent');
    const line = await eventually(() => lab.logLines.find((candidate) => candidate.includes('e-ticket sent')) ?? false);
    expect(JSON.parse(line)).toMatchObject({ eventId: event.eventId, bookingId: event.booking.id, deliveryCount: 1 });
    expect(lab.logLines.join('')).not.toMatch(/zoe|Zoë|Đặng|DANG|Ægisson|K7XQ4S/);
  });

  describe('when it is told to stop', () => {
    it('leaves at once when it is idle', async () => {
      const worker = await lab.startWorker();
      await eventually(async () => (await ready(worker.url)) === 200);
      const startedAt = performance.now();
      await Promise.all([worker.stop(), worker.stop()]);
      expect(performance.now() - startedAt).toBeLessThan(3_000);
    });

    it('leaves 50 ms after its start', async () => {
      const worker = await lab.startWorker();
      const startedAt = performance.now();
      await worker.stop();
      expect(performance.now() - startedAt).toBeLessThan(3_000);
    });

    it('lets a mail under way end', async () => {
      lab.relay.script = async ({ stage }) => {
        if (stage === 'message') await new Promise((resolve) => setTimeout(resolve, 500));
        return undefined;
      };
      const worker = await lab.startWorker();
      const event = eticketEvent();
      await lab.publish(event);
      await eventually(() => lab.relay.messages.length === 1);
      await worker.stop();
      expect(lab.relay.accepted).toHaveLength(1);
      expect(await lab.untilStatus(event, 'sent')).toMatchObject({ revision: 2 });
    });

    it('gives up a mail that hangs within its deadline, and the next worker mails it once (P8)', async () => {
      lab.relay.script = ({ stage }) => (stage === 'RCPT' ? { do: 'hang' } : undefined);
      const worker = await lab.startWorker({ stopDeadlineMs: 2_000, sendDeadlineMs: 60_000 });
      const event = eticketEvent();
      await lab.publish(event);
      await eventually(() => lab.relay.recipients.length === 1);
      const startedAt = performance.now();
      await worker.stop();
      expect(performance.now() - startedAt).toBeLessThan(2_500);
      lab.relay.script = () => undefined;
      await lab.startWorker();
      await lab.untilStatus(event, 'sent');
      expect(lab.relay.messages).toHaveLength(1);
      const { rows } = await lab.database.pool.query('SELECT possibly_sent_twice FROM mail_eticket.send_record');
      expect(rows).toEqual([{ possibly_sent_twice: false }]);
    });
  });
});

describe('The mail worker without its database', () => {
  let lab: WorkerLab;
  let doorway: Doorway;
  let databaseUrl: URL;
  beforeEach(async () => {
    lab = await WorkerLab.open();
    databaseUrl = new URL(lab.database.connectionString);
    doorway = await Doorway.before({ host: databaseUrl.hostname, port: Number(databaseUrl.port) });
    databaseUrl.port = String(doorway.port);
  });
  afterEach(async () => {
    await lab.close();
    await doorway.shut();
  });

  const readiness = async (url: string) => {
    const response = await fetch(`${url}/health/ready`);
    const body = (await response.json()) as { readonly error: object };
    return { status: response.status, notReady: Object.keys(body.error).sort() };
  };

  it('starts, says what it waits for, and mails when the database is there (P9)', async () => {
    const event = eticketEvent();
    await lab.publish(event);
    const worker = await lab.startWorker({ databaseUrl: databaseUrl.toString() });
    expect((await fetch(`${worker.url}/health/live`)).status).toBe(200);
    expect(await readiness(worker.url)).toEqual({ status: 503, notReady: ['database', 'queue'] });
    await eventually(() => lab.logLines.filter((line) => line.includes('cannot be reached yet')).length >= 2);
    expect(lab.logLines.join('')).not.toContain(databaseUrl.password);
    await doorway.open();
    await lab.untilStatus(event, 'sent');
    await eventually(async () => (await readiness(worker.url)).status === 200);
  });

  it('is not ready while the database is away, and goes on after', async () => {
    await doorway.open();
    const worker = await lab.startWorker({ databaseUrl: databaseUrl.toString() });
    await eventually(async () => (await readiness(worker.url)).status === 200);
    await doorway.shut();
    await eventually(async () => (await readiness(worker.url)).notReady.includes('database'));
    const event = eticketEvent();
    await lab.publish(event);
    await doorway.open();
    await lab.untilStatus(event, 'sent');
    await eventually(async () => (await readiness(worker.url)).status === 200);
    expect(lab.relay.messages).toHaveLength(1);
  });

  it('writes a mail down that the relay took while the database was away, and sends it once', async () => {
    await doorway.open();
    lab.relay.script = async ({ stage }) => {
      if (stage === 'message') {
        await doorway.shut();
        setTimeout(() => void doorway.open(), 1_500);
      }
      return undefined;
    };
    await lab.startWorker({ databaseUrl: databaseUrl.toString() });
    const event = eticketEvent();
    await lab.publish(event);
    await lab.untilStatus(event, 'sent');
    await lab.untilDrained();
    expect(lab.relay.messages).toHaveLength(1);
    const { rows } = await lab.database.pool.query('SELECT state, attempts FROM mail_eticket.send_record');
    expect(rows).toEqual([{ state: 'sent', attempts: 1 }]);
  });

  it('stops within its deadline', async () => {
    const worker = await lab.startWorker({ databaseUrl: databaseUrl.toString() });
    const startedAt = performance.now();
    await worker.stop();
    expect(performance.now() - startedAt).toBeLessThan(5_500);
  });
});
