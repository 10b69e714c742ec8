import { QUEUES } from '@eticket/contracts';
import { readTracingSettings } from '@eticket/service';
import { eventually, OtlpCollector } from '@eticket/service/testing';
import { jsonMessage } from 'ackline';
import { eticketEvent } from './testing/eticket-fixtures.js';
import { WorkerLab } from './testing/worker-lab.js';

const DEADLINE = { deadlineMs: 30_000 };
const [TRACE, PUBLISH] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];

describe('The traces of the mail worker', () => {
  let lab: WorkerLab;
  let collector: OtlpCollector;

  beforeEach(async () => {
    lab = await WorkerLab.open();
    collector = await OtlpCollector.start();
  });
  afterEach(async () => {
    await lab.close();
    await collector.stop();
  });

  it('show a mail that the relay deferred as failed, its next delivery linked, its status in the booking’s trace', async () => {
    lab.relay.script = ({ stage, time }) =>
      stage === 'RCPT' && time === 1 ? '450 4.2.0 <jordi.puig@example.cat>: try again' : undefined;
    await lab.startWorker({ tracing: readTracingSettings(collector.env) });
    const statusTraces: (string | undefined)[] = [];
    const tail = lab.queue.tail({ queue: QUEUES.eticketMailStatus, from: 'beginning' }, ({ headers }) => {
      statusTraces.push(headers.traceparent);
    });
    const event = eticketEvent();
    const headers = { traceparent: `00-${TRACE}-${PUBLISH}-01` };
    await lab.queue.publish(event.type, jsonMessage(event, { id: event.eventId, key: event.booking.id, headers }));
    await lab.untilStatus(event, 'sent');
    await eventually(() => expect(collector.named('process eticket-confirmed')).toHaveLength(2), DEADLINE);

    const [first, second] = collector.named('process eticket-confirmed');
    expect(first).toMatchObject({ traceId: TRACE, parentSpanId: PUBLISH, links: [], failed: false });
    expect(second).toMatchObject({ parentSpanId: undefined, failed: false });
    expect(second?.traceId).not.toBe(TRACE);
    expect(second?.links).toMatchObject([{ traceId: TRACE, spanId: PUBLISH }]);

    const [deferred, sent] = collector.named('smtp send');
    expect(deferred).toMatchObject({ traceId: TRACE, parentSpanId: first?.spanId, kind: 3, failed: true });
    expect(deferred?.attributes).toMatchObject({
      'eticket.mail.outcome': 'deliver-again',
      'eticket.smtp.stage': 'envelope',
      'eticket.smtp.reply_class': '4xx',
      'error.type': first?.attributes['error.type'],
    });
    expect(sent).toMatchObject({ traceId: second?.traceId, parentSpanId: second?.spanId, failed: false });
    expect(sent?.attributes).toMatchObject({ 'eticket.mail.outcome': 'sent', 'eticket.smtp.queue_id': '4711' });

    // Sending, delayed: from the delivery. Sending, sent: from one in another trace, so from what the booking published.
    await eventually(() => expect(statusTraces).toHaveLength(4), DEADLINE);
    const spanOf = (traceparent: string | undefined) => traceparent?.split('-').slice(1, 3);
    expect(statusTraces.map(spanOf).sort()).toEqual(
      [
        [TRACE, PUBLISH],
        [TRACE, PUBLISH],
        [TRACE, first?.spanId],
        [TRACE, first?.spanId],
      ].sort(),
    );
    expect(collector.received).not.toMatch(/jordi|puig|example\.cat|K7XQ4S/i);
    await tail.close();
  });
});
