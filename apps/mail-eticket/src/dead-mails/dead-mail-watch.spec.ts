import type { ChildProcess } from 'node:child_process';
import { CONSUMER_GROUPS, QUEUES } from '@eticket/contracts';
import { eventually } from '@eticket/service/testing';
import { RejectError } from 'ackline';
import type { EticketMailEvent } from '../receipt/mail-occasion.js';
import { eticketEvent } from '../testing/eticket-fixtures.js';
import { WorkerLab } from '../testing/worker-lab.js';

describe('A mail whose event became a dead letter without a word of its handler', () => {
  let lab: WorkerLab;
  beforeEach(async () => {
    lab = await WorkerLab.open();
  });
  afterEach(() => lab.close());

  /** What another worker would have done before it died: the events are dead letters, the booking knows of nothing. */
  async function dieUntold(errorCode: string, ...events: readonly EticketMailEvent[]): Promise<void> {
    const consumer = lab.queue.consume({ queue: QUEUES.eticketConfirmed, group: CONSUMER_GROUPS.mailEticket }, () =>
      Promise.reject(new RejectError(errorCode)),
    );
    for (const event of events) await lab.publish(event);
    await eventually(async () => (await lab.deadLetters()).length === events.length);
    await consumer.close();
  }

  const record = async (event: EticketMailEvent, columns: Readonly<Record<string, unknown>>): Promise<void> => {
    const row = {
      event_id: event.eventId,
      booking_id: event.booking.id,
      version: event.version,
      message_id: `<eticket.${event.booking.id}.v${event.version}@meridian.example>`,
      attempts: 1,
      ...columns,
    };
    const places = Object.keys(row).map((_, index) => `$${index + 1}`);
    await lab.database.pool.query(
      `INSERT INTO mail_eticket.send_record (${Object.keys(row).join(', ')}) VALUES (${places.join(', ')})`,
      Object.values(row),
    );
  };

  /** The tables, made by a worker that has left. */
  async function withTables(): Promise<void> {
    const worker = await lab.startWorker();
    await eventually(async () => (await fetch(`${worker.url}/health/ready`)).status === 200);
    await worker.stop();
  }

  it('is failed for the booking when the event kills its process at each delivery; the other mails go out', async () => {
    const poison = eticketEvent('one adult, one way', { contact: { email: 'poison@x.test', phone: '+34911234567' } });
    const others = Array.from({ length: 6 }, () => eticketEvent());
    let worker: ChildProcess | undefined;
    let deaths = 0;
    const settings = { MAIL_MAX_DELIVERIES: '2', MAIL_CONCURRENCY: '3' };
    lab.relay.script = ({ stage, line }) => {
      if (stage !== 'RCPT' || !line.includes('poison@')) return undefined;
      worker?.kill('SIGKILL');
      return { do: 'hang' };
    };
    for (const event of [others[0]!, others[1]!, poison, ...others.slice(2)]) await lab.publish(event);

    worker = lab.startProcess(settings);
    await eventually(
      async () => {
        if (worker?.signalCode) {
          deaths += 1;
          await lab.forgetDeadWorkers();
          worker = lab.startProcess(settings);
        }
        return lab.newestStatus(poison)?.status === 'failed';
      },
      { deadlineMs: 55_000 },
    );
    expect(lab.newestStatus(poison)).toMatchObject({ reason: 'worker_died' });
    expect(deaths).toBeGreaterThanOrEqual(2);
    for (const event of others) await lab.untilStatus(event, 'sent');
    await lab.untilDrained();
    expect(await lab.deadLetters()).toMatchObject([
      { id: poison.eventId, reason: 'max_deliveries', errorCode: 'worker_died' },
    ]);
    expect(lab.logLines.join('')).toContain('the worker’s process died each time');
  }, 90_000);

  it('is failed too when no worker came as far as its record, and is told of once', async () => {
    const events = [eticketEvent(), eticketEvent()];
    await dieUntold('worker_died', ...events);
    const worker = await lab.startWorker();
    for (const event of events) {
      expect(await lab.untilStatus(event, 'failed')).toMatchObject({ revision: 1, reason: 'worker_died' });
    }
    await worker.stop();

    // The next one looks through them all, tells of the new one, and of no other again.
    const late = eticketEvent();
    const consumer = lab.queue.consume({ queue: QUEUES.eticketConfirmed, group: CONSUMER_GROUPS.mailEticket }, () =>
      Promise.reject(new RejectError('handler_timeout')),
    );
    await lab.publish(late);
    await eventually(async () => (await lab.deadLetters()).length === 3);
    await consumer.close();
    await lab.startWorker();
    expect(await lab.untilStatus(late, 'failed')).toMatchObject({ reason: 'handler_timeout' });
    expect(lab.statuses).toHaveLength(3);
  });

  it('is sent by a redrive, and told of again when that dies too', async () => {
    const event = eticketEvent();
    await dieUntold('worker_died', event);
    const worker = await lab.startWorker();
    await lab.untilStatus(event, 'failed');
    const letters = lab.queue.deadLetters(QUEUES.eticketConfirmed, CONSUMER_GROUPS.mailEticket);
    const redrive = () => letters.redrive({}, { actor: 'test' });
    lab.relay.script = ({ stage }) => (stage === 'RCPT' ? '550 5.1.1 unknown' : undefined);
    await redrive();
    const refused = await eventually(() => {
      const newest = lab.newestStatus(event);
      return newest?.reason === 'recipient_refused' && newest;
    });
    expect(refused.revision).toBe(3);
    await worker.stop();

    await redrive();
    await lab.database.pool.query(`UPDATE mail_eticket.send_record SET state = 'pending', reason = NULL`);
    const consumer = lab.queue.consume({ queue: QUEUES.eticketConfirmed, group: CONSUMER_GROUPS.mailEticket }, () =>
      Promise.reject(new RejectError('worker_died')),
    );
    await eventually(async () => (await lab.deadLetters()).length === 1);
    await consumer.close();
    lab.relay.script = () => undefined;
    await lab.startWorker();
    await eventually(() => lab.newestStatus(event)?.reason === 'worker_died');
    await redrive();
    await lab.untilStatus(event, 'sent');
    expect(lab.relay.accepted).toHaveLength(1);
  });

  it('is told as sent where it was, and is left to the worker that is sending it', async () => {
    await withTables();
    const [sent, underWay] = [eticketEvent(), eticketEvent()];
    await record(sent, { state: 'sent', revision: 2, sent_at: '2026-11-30T18:05:00Z' });
    const claim = { claim_token: crypto.randomUUID(), claimed_until: new Date(Date.now() + 3_600_000) };
    await record(underWay, { state: 'sending', revision: 1, ...claim });
    await dieUntold('worker_died', sent, underWay);
    const worker = await lab.startWorker();
    expect(await lab.untilStatus(sent, 'sent')).toMatchObject({ revision: 2, sentAt: '2026-11-30T18:05:00.000Z' });
    await worker.stop();
    expect(lab.statusesOf(underWay)).toEqual([]);

    await lab.forgetDeadWorkers();
    await lab.startWorker();
    expect(await lab.untilStatus(underWay, 'failed')).toMatchObject({ revision: 2 });
    const { rows } = await lab.database.pool.query(
      `SELECT unknown_outcomes FROM mail_eticket.send_record WHERE state = 'failed'`,
    );
    expect(rows).toEqual([{ unknown_outcomes: 1 }]);
  });

  it('is failed when its event is not valid, as long as that names its booking', async () => {
    await lab.startWorker();
    const event = eticketEvent();
    const { id, ...rest } = event.booking;
    await lab.publish({ ...event, booking: { ...rest, id, passengers: [] } });
    expect(await lab.untilStatus(event, 'failed')).toMatchObject({ revision: 1, reason: 'invalid_payload' });
    await lab.queue.publish(
      QUEUES.eticketConfirmed,
      ['null', '[]', '{"version":1}', '{"broken'].map((text) => ({ payload: new TextEncoder().encode(text) })),
    );
    await eventually(async () => (await lab.deadLetters()).length === 5);
    const good = eticketEvent();
    await lab.publish(good);
    await lab.untilStatus(good, 'sent');
    expect(lab.logLines.join('')).not.toContain('cannot be told');
  });
});
