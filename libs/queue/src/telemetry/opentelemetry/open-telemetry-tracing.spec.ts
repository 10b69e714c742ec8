import { SpanKind, SpanStatusCode, context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { Ackline, RedeliverError, RejectError, jsonMessage } from 'ackline';
import type { Handler, Message } from 'ackline';
import { MemoryStore, VirtualClock } from 'ackline/memory';
import { Outbox, OutboxRelay } from 'ackline/outbox';
import pg from 'pg';
import { openTelemetryTracing } from './index.js';
import type { OpenTelemetryTracingOptions } from './index.js';

const exporter = new InMemorySpanExporter();
const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
const tracer = tracerProvider.getTracer('the application');
const group = { queue: 'orders', group: 'shop' };
const backoff = { baseMs: 10, maxMs: 10 };

describe('Traces by OpenTelemetry', () => {
  let clock: VirtualClock;
  let store: MemoryStore;
  let ackline: Ackline;

  beforeAll(() => context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable()));
  afterAll(() => context.disable());

  beforeEach(() => {
    exporter.reset();
    clock = new VirtualClock();
    store = new MemoryStore({ clock });
    ackline = traced();
  });

  afterEach(() => ackline.close());

  function traced(options: OpenTelemetryTracingOptions = {}): Ackline {
    return new Ackline({
      driver: store.driver(),
      clock,
      tracing: openTelemetryTracing({ tracerProvider, ...options }),
    });
  }

  const spans = (name: string): ReadableSpan[] => exporter.getFinishedSpans().filter((span) => span.name === name);
  const linked = ({ links }: ReadableSpan): string[] => links.map((link) => link.context.spanId);

  /** Publishes one message inside a span of the application, and lets a minute pass for its deliveries. */
  async function handled(handler: Handler, from = ackline): Promise<void> {
    from.consume({ ...group, backoff, maxDeliveries: 3 }, handler);
    const request = tracer.startSpan('POST /orders');
    await context.with(trace.setSpan(context.active(), request), () =>
      from.publish('orders', jsonMessage({ amount: 7 }, { id: 'order-7' })),
    );
    request.end();
    await clock.advance(60_000);
  }

  it('lead from the request over the publish into the handler and what it does', async () => {
    await handled(() => tracer.startSpan('smtp send').end());
    const [request] = spans('POST /orders');
    const [publish] = spans('publish orders');
    const [process] = spans('process orders');
    const [smtp] = spans('smtp send');
    expect(publish!.parentSpanContext?.spanId).toBe(request!.spanContext().spanId);
    expect(process!.parentSpanContext?.spanId).toBe(publish!.spanContext().spanId);
    expect(smtp!.parentSpanContext?.spanId).toBe(process!.spanContext().spanId);
    expect(new Set([request, publish, process, smtp].map((span) => span!.spanContext().traceId)).size).toBe(1);
    expect([publish!.kind, process!.kind]).toEqual([SpanKind.PRODUCER, SpanKind.CONSUMER]);
    expect(process!.status.code).toBe(SpanStatusCode.UNSET);
    expect(publish!.attributes).toEqual({
      'messaging.system': 'ackline',
      'messaging.operation.type': 'send',
      'messaging.operation.name': 'publish',
      'messaging.destination.name': 'orders',
      'messaging.message.id': 'order-7',
      'messaging.message.body.size': 12,
    });
    expect(process!.attributes).toEqual({
      'messaging.system': 'ackline',
      'messaging.operation.type': 'process',
      'messaging.operation.name': 'process',
      'messaging.destination.name': 'orders',
      'messaging.message.id': 'order-7',
      'messaging.message.body.size': 12,
      'messaging.consumer.group.name': 'shop',
      'ackline.delivery_count': 1,
    });
  });

  it('link each redelivery to the publish, in a trace of its own, and say why the one before failed', async () => {
    const errors = [
      Object.assign(new Error('to ana@example.com'), { code: 'ECONNREFUSED' }),
      new RedeliverError('later'),
    ];
    await handled(({ deliveryCount }) => {
      const error = errors[deliveryCount - 1];
      if (error) throw error;
    });
    const [publish] = spans('publish orders');
    const [first, second, third] = spans('process orders');
    expect(first!.spanContext().traceId).toBe(publish!.spanContext().traceId);
    expect(first!.status.code).toBe(SpanStatusCode.ERROR);
    expect(first!.attributes['error.type']).toBe('ECONNREFUSED');
    expect(JSON.stringify([first!.events, first!.status, first!.attributes])).not.toContain('ana@example.com');
    expect(second!.status.code).toBe(SpanStatusCode.UNSET);
    expect(second!.attributes).toMatchObject({ 'error.type': 'later', 'ackline.delivery_count': 2 });
    for (const span of [second!, third!]) {
      expect(span.parentSpanContext).toBeUndefined();
      expect(span.spanContext().traceId).not.toBe(publish!.spanContext().traceId);
      expect(linked(span)).toEqual([publish!.spanContext().spanId]);
    }
    expect(third!.attributes['error.type']).toBeUndefined();
  });

  it('keep redeliveries in the publish’s trace where that is asked for', async () => {
    await ackline.close();
    ackline = traced({ redeliveries: 'child' });
    await handled(({ deliveryCount }) => {
      if (deliveryCount === 1) throw new RedeliverError('busy');
    }, ackline);
    const [publish] = spans('publish orders');
    const [first, second] = spans('process orders');
    expect(first!.attributes['error.type']).toBe('busy');
    expect(second!.parentSpanContext?.spanId).toBe(publish!.spanContext().spanId);
    expect(second!.links).toEqual([]);
  });

  it('name the code of a rejection', async () => {
    await handled(() => {
      throw new RejectError('invalid_payload');
    });
    const [process] = spans('process orders');
    expect(process!.attributes['error.type']).toBe('invalid_payload');
    expect(process!.status.code).toBe(SpanStatusCode.ERROR);
  });

  it('keep the trace that a message names already, as a relay’s does, and link the publish to it', async () => {
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const seen: Message[] = [];
    ackline.consume(group, ({ message }) => void seen.push(message));
    await ackline.publish('orders', [
      jsonMessage(1, { headers: { traceparent, tracestate: 'vendor=1' } }),
      jsonMessage(2),
    ]);
    await clock.advance(0);
    const [publish] = spans('publish orders');
    const named = spans('process orders').find((span) => span.spanContext().traceId === 'a'.repeat(32));
    expect(named?.parentSpanContext?.spanId).toBe('b'.repeat(16));
    expect(named?.spanContext().traceState?.serialize()).toBe('vendor=1');
    expect(linked(publish!)).toEqual(['b'.repeat(16)]);
    expect(publish!.attributes['messaging.batch.message_count']).toBe(2);
    expect(seen.map(({ headers }) => headers)).toEqual([
      { 'content-type': 'application/json', traceparent, tracestate: 'vendor=1' },
      {
        'content-type': 'application/json',
        traceparent: `00-${publish!.spanContext().traceId}-${publish!.spanContext().spanId}-01`,
      },
    ]);
  });

  it('name the publish in a message that names the trace that it is a part of, such as the request’s', async () => {
    ackline.consume(group, () => undefined);
    const request = tracer.startSpan('POST /orders');
    const { traceId, spanId } = request.spanContext();
    await context.with(trace.setSpan(context.active(), request), () =>
      ackline.publish('orders', jsonMessage(1, { headers: { traceparent: `00-${traceId}-${spanId}-01` } })),
    );
    await clock.advance(0);
    const [publish] = spans('publish orders');
    const [process] = spans('process orders');
    expect(publish!.parentSpanContext?.spanId).toBe(spanId);
    expect(publish!.links).toEqual([]);
    expect(process!.parentSpanContext?.spanId).toBe(publish!.spanContext().spanId);
  });

  it.each([
    ['is no trace', 'nonsense'],
    ['is all zeros', `00-${'0'.repeat(32)}-${'0'.repeat(16)}-01`],
    ['is of a version that may not be read', `ff-${'a'.repeat(32)}-${'b'.repeat(16)}-01`],
  ])('pass over a header that %s', async (_what, traceparent) => {
    ackline.consume(group, () => undefined);
    await ackline.publish('orders', jsonMessage(1, { headers: { traceparent } }));
    await clock.advance(0);
    const [process] = spans('process orders');
    expect(process!.parentSpanContext).toBeUndefined();
    expect(process!.links).toEqual([]);
  });

  it('link broadcasts, whose readers are many', async () => {
    const tail = ackline.tail({ queue: 'orders', from: 'beginning' }, () => undefined);
    await tail.ready;
    await ackline.publish('orders', jsonMessage(1));
    await clock.advance(0);
    const [publish] = spans('publish orders');
    const [process] = spans('process orders');
    expect(linked(process!)).toEqual([publish!.spanContext().spanId]);
  });

  it('go with an outbox’s message over the relay to its handler', async () => {
    const database = `traces_${process.pid}_${Math.random().toString(36).slice(2, 8)}`;
    const admin = new pg.Pool({ connectionString: process.env.TEST_DATABASE_URL, max: 1 });
    await admin.query(`create database ${database}`);
    const url = new URL(process.env.TEST_DATABASE_URL!);
    url.pathname = `/${database}`;
    const pool = new pg.Pool({ connectionString: url.href, max: 2 });
    pool.on('error', () => undefined);
    try {
      const driver = store.driver();
      const outbox = new Outbox({ driver, pool, tracing: openTelemetryTracing({ tracerProvider }) });
      await outbox.migrate();
      const client = await pool.connect();
      await client.query('begin');
      const request = tracer.startSpan('POST /orders');
      await context.with(trace.setSpan(context.active(), request), () =>
        outbox.enqueue(client, 'orders', jsonMessage(1)),
      );
      await client.query('commit');
      client.release();
      ackline.consume(group, () => undefined);
      await new OutboxRelay({ pool, ackline }).relayOnce();
      await clock.advance(0);
      const [enqueued, relayed] = spans('publish orders');
      const [process] = spans('process orders');
      expect(enqueued!.parentSpanContext?.spanId).toBe(request.spanContext().spanId);
      expect(process!.parentSpanContext?.spanId).toBe(enqueued!.spanContext().spanId);
      expect(linked(relayed!)).toEqual([enqueued!.spanContext().spanId]);
    } finally {
      await pool.end();
      await admin.query(`drop database ${database} with (force)`);
      await admin.end();
    }
  });

  it('tell of a publish that failed', async () => {
    const driver = store.driver();
    const away = new Ackline({ driver, clock, tracing: openTelemetryTracing({ tracerProvider }) });
    store.cutOff(driver);
    await expect(away.publish('orders', jsonMessage(1))).rejects.toThrow();
    expect(spans('publish orders')[0]!.attributes['error.type']).toBe('broker_unavailable');
  });

  it('cost nothing without being asked for: no span, no header', async () => {
    const plain = new Ackline({ driver: store.driver(), clock });
    const seen: Message[] = [];
    plain.consume(group, ({ message }) => void seen.push(message));
    const request = tracer.startSpan('POST /orders');
    await context.with(trace.setSpan(context.active(), request), () =>
      plain.publish('orders', { payload: new Uint8Array([1]) }),
    );
    await clock.advance(0);
    expect(seen.map(({ headers }) => headers)).toEqual([{}]);
    expect(exporter.getFinishedSpans()).toEqual([]);
    await plain.close();
  });
});
