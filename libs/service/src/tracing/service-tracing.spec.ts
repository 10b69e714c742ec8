import 'reflect-metadata';
import { Controller, Get, Headers, Module, Param, Post, Body } from '@nestjs/common';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import {
  createHttpApp,
  createLogger,
  OperationsModule,
  readTracingSettings,
  ServiceMetrics,
  startHttpApp,
  startTracing,
  type RunningService,
  type ServiceTracing,
} from '../index.js';
import { eventually, OtlpCollector } from '../testing/index.js';

const DEADLINE = { deadlineMs: 30_000 };
let tracing: ServiceTracing;

@Controller('greetings')
class GreetingsController {
  @Get(':name')
  greet(@Param('name') _name: string) {
    return { data: 'hello' };
  }

  @Post()
  async send(@Body() _body: unknown, @Headers('traceparent') traceparent: string) {
    await tracing.run('ask a friend', 'client', { 'server.address': 'friend.example' }, () => Promise.resolve());
    const failed = Object.assign(new Error('no such mailbox: ana@example.com'), { code: 'ENOFRIEND' });
    await tracing.run('ask another', 'client', {}, () => Promise.reject(failed)).catch(() => undefined);
    return { data: traceparent };
  }

  @Get()
  fail(): never {
    throw new Error('failed for ana@example.com');
  }
}

describe('Traces of a service', () => {
  let collector: OtlpCollector;
  let service: RunningService | undefined;
  let lines: string[];

  beforeEach(async () => {
    lines = [];
    collector = await OtlpCollector.start();
  });
  afterEach(async () => {
    await service?.stop();
    await tracing.stop(1_000);
    await collector.stop();
    service = undefined;
  });

  async function start(env: Readonly<Record<string, string>>): Promise<string> {
    const logger = createLogger({
      service: 'greeter',
      level: 'debug',
      destination: { write: (line) => lines.push(line) },
    });
    tracing = await startTracing(readTracingSettings(env), { service: 'greeter', logger });
    const operations = OperationsModule.forRoot({ metrics: new ServiceMetrics(), readiness: [] });
    @Module({ imports: [operations], controllers: [GreetingsController] })
    class GreeterModule {}
    const settings = { logger, tracing, name: 'greeter', host: '127.0.0.1', port: 0 };
    service = await startHttpApp(await createHttpApp(GreeterModule, settings), settings);
    return service.url;
  }

  const post = (url: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${url}/greetings`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ name: 'ana' }),
    });
  const logged = (text: string) => lines.filter((line) => line.includes(text));

  it('have a span for each request, a child of the caller’s, with what it does as children', async () => {
    const url = await start({ ...collector.env, OTEL_SERVICE_NAME: 'greetings-madrid' });
    const [traceId, caller] = ['a'.repeat(32), 'b'.repeat(16)];
    const answer = await post(url, { traceparent: `00-${traceId}-${caller}-01` });
    await eventually(() => expect(collector.the('POST /greetings')).toBeDefined(), DEADLINE);
    const request = collector.the('POST /greetings');
    expect(request).toMatchObject({ service: 'greetings-madrid', kind: 2, traceId, parentSpanId: caller });
    expect(request).toMatchObject({ failed: false, links: [] });
    expect(request.attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': '/greetings',
      'url.scheme': 'http',
      'http.response.status_code': 201,
    });
    const asked = collector.the('ask a friend');
    expect(asked).toMatchObject({ traceId, parentSpanId: request.spanId, kind: 3, failed: false });
    expect(asked.attributes).toEqual({ 'server.address': 'friend.example' });
    expect(collector.the('ask another')).toMatchObject({ failed: true, attributes: { 'error.type': 'ENOFRIEND' } });
    // What the service hands on, and logs with, is its own span.
    expect(await answer.json()).toEqual({ data: `00-${traceId}-${request.spanId}-01` });
    expect(logged(traceId).length).toBeGreaterThan(0);
  });

  it('name the route and never the address, tell a failure from a refusal, and leave probes out', async () => {
    const url = await start(collector.env);
    for (const path of ['/health/live', '/metrics', '/greetings/ana?email=ana@example.com', '/ana', '/greetings']) {
      await fetch(url + path);
    }
    await eventually(() => expect(collector.spans).toHaveLength(3), DEADLINE);
    expect(collector.the('GET /greetings/:name')).toMatchObject({ failed: false, parentSpanId: undefined });
    expect(collector.the('GET')).toMatchObject({ failed: false, attributes: { 'http.response.status_code': 404 } });
    expect(collector.the('GET /greetings')).toMatchObject({ failed: true, attributes: { 'error.type': '500' } });
    expect(collector.received).not.toMatch(/\bana\b/);
  });

  it('are kept or left out as a whole, as the caller decided or the sampler does', async () => {
    const url = await start({ ...collector.env, OTEL_TRACES_SAMPLER: 'parentbased_always_off' });
    const unsampled = (await (await post(url)).json()) as { readonly data: string };
    expect(unsampled.data).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
    await post(url, { traceparent: `00-${'c'.repeat(32)}-${'d'.repeat(16)}-01` });
    await eventually(() => expect(collector.spans).toHaveLength(3), DEADLINE);
    expect(new Set(collector.spans.map(({ traceId }) => traceId))).toEqual(new Set(['c'.repeat(32)]));
  });

  it('speak protobuf unless told otherwise, and send what is left at the stop', async () => {
    const url = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '600000' });
    collector.answer = 204;
    await post(url);
    await service?.stop();
    expect(collector.requests).toBe(0);
    await tracing.stop(30_000);
    expect(collector.requests).toBe(1);
  });

  it('never hold up a request while the collector is away, which is said once, and so is its return', async () => {
    const url = await start({ ...collector.env, OTEL_BSP_MAX_QUEUE_SIZE: '4' });
    collector.answer = 503;
    for (let round = 1; round <= 3; round += 1) {
      const seen = collector.requests;
      expect((await post(url)).status).toBe(201);
      await eventually(() => expect(collector.requests).toBeGreaterThan(seen), DEADLINE);
    }
    await eventually(() => expect(logged('do not reach the collector')).toHaveLength(1), DEADLINE);
    collector.answer = 200;
    await eventually(async () => {
      expect((await post(url)).status).toBe(201);
      expect(logged('takes traces again')).toHaveLength(1);
    }, DEADLINE);
    expect(logged('do not reach the collector')).toHaveLength(1);
  });

  it('hold up a stop for its deadline and no longer, with a collector that does not answer', async () => {
    const url = await start({ ...collector.env, OTEL_EXPORTER_OTLP_TIMEOUT: '600000' });
    collector.answer = 'nothing';
    expect((await post(url)).status).toBe(201);
    await service?.stop();
    await tracing.stop(100);
    expect(logged('do not reach the collector')).toHaveLength(1);
  });

  it('say why nobody is there to take them', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const endpoint = `http://user:hunter2@127.0.0.1:${port}`;
    const url = await start({ ...collector.env, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
    expect((await post(url)).status).toBe(201);
    await eventually(() => expect(logged('do not reach the collector')).toHaveLength(1), DEADLINE);
    const line = JSON.parse(logged('do not reach the collector')[0] as string) as unknown;
    expect(line).toMatchObject({
      level: 'warn',
      endpoint: `http://127.0.0.1:${port}/v1/traces`,
      reason: 'ECONNREFUSED',
    });
    expect(lines.join('')).not.toContain('hunter2');
  });

  it('are off without settings: no span, and the caller’s traceparent goes on', async () => {
    const url = await start({});
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    expect(await (await post(url, { traceparent })).json()).toEqual({ data: traceparent });
    expect(tracing.queue).toBeUndefined();
    expect(tracing.traceparent()).toBeUndefined();
    expect(collector.requests).toBe(0);
  });
});
