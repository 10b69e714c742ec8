import { QUEUES } from '@eticket/contracts';
import { eventually, OtlpCollector } from '@eticket/service/testing';
import { Ackline } from 'ackline';
import { MemoryStore } from 'ackline/memory';
import { EXAMPLES, TestBooking } from './testing/test-booking.js';

const DEADLINE = { deadlineMs: 30_000 };

describe('The traces of a booking whose queue is not in its database', () => {
  let collector: OtlpCollector;
  let reader: Ackline;
  let booking: TestBooking;

  beforeEach(async () => {
    const store = new MemoryStore();
    reader = new Ackline({ driver: store.driver() });
    collector = await OtlpCollector.start();
    booking = await TestBooking.start({ driver: store.driver(), env: collector.env });
    await eventually(async () => expect((await booking.call('/health/ready')).status).toBe(200), DEADLINE);
  });
  afterEach(async () => {
    await booking.stop();
    await reader.close();
    await collector.stop();
  });

  it('go over the outbox and its relay: the relay is linked, and the event names the booking’s trace', async () => {
    const named: (string | undefined)[] = [];
    reader.tail({ queue: QUEUES.eticketConfirmed, from: 'beginning' }, ({ headers }) => {
      named.push(headers.traceparent);
    });
    const [example] = EXAMPLES;
    expect((await booking.post(await booking.bodyFor(example!))).status).toBe(201);
    const publishes = () => collector.named('publish eticket-confirmed');
    await eventually(() => {
      expect(publishes()).toHaveLength(2);
      expect(collector.named('POST /api/bookings')).toHaveLength(1);
      expect(named).toHaveLength(1);
    }, DEADLINE);

    const request = collector.the('POST /api/bookings');
    const enqueued = publishes().find(({ parentSpanId }) => parentSpanId === request.spanId);
    const relayed = publishes().find(({ parentSpanId }) => parentSpanId === undefined);
    expect(enqueued).toMatchObject({ traceId: request.traceId, links: [] });
    expect(relayed?.links).toMatchObject([{ traceId: request.traceId, spanId: enqueued?.spanId }]);
    expect(named).toEqual([`00-${request.traceId}-${enqueued?.spanId}-01`]);
  });
});
