import 'reflect-metadata';
import { Controller, Get, Headers, Ip, Module, Post, Body } from '@nestjs/common';
import { connect, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';
import {
  createHttpApp,
  createLogger,
  OperationsModule,
  ServiceMetrics,
  startHttpApp,
  type ReadinessCheck,
  type RunningService,
} from '../index.js';

@Controller('greetings')
class GreetingsController {
  @Get('traced')
  trace(@Headers('traceparent') traceparent: string) {
    return { data: traceparent };
  }

  @Get('asker')
  asker(@Ip() address: string) {
    return { data: address };
  }

  @Get('long')
  long() {
    return { data: 'Łódź–Zürich '.repeat(5_000) };
  }

  @Get(':name')
  greet() {
    return { data: 'hello' };
  }

  @Post()
  fail(@Body() _body: unknown): never {
    throw new Error('failed for traveller@example.com');
  }

  @Get()
  slow(): Promise<never> {
    return new Promise(() => undefined);
  }
}

describe('An HTTP service', () => {
  const lines: string[] = [];
  const readiness: ReadinessCheck[] = [];
  const logger = createLogger({
    service: 'greeter',
    level: 'debug',
    destination: { write: (line) => lines.push(line) },
  });
  let service: RunningService;

  async function start(
    options: { readonly port?: number; readonly stopDeadlineMs?: number; readonly trustedProxies?: string[] } = {},
  ) {
    const metrics = new ServiceMetrics();
    @Module({ imports: [OperationsModule.forRoot({ metrics, readiness })], controllers: [GreetingsController] })
    class GreeterModule {}
    const settings = { logger, name: 'greeter', host: '127.0.0.1', port: 0, bodyLimit: 1024, ...options };
    return startHttpApp(await createHttpApp(GreeterModule, settings), settings);
  }

  beforeEach(async () => {
    readiness.length = 0;
    lines.length = 0;
    service = await start();
  });
  afterEach(() => service.stop());

  const requestLine = () =>
    lines.map((line) => JSON.parse(line) as Record<string, unknown>).find((line) => 'route' in line);

  it('takes a sane request id over, and logs with it', async () => {
    const response = await fetch(`${service.url}/greetings/ana?email=a@b.example`, {
      headers: { 'x-request-id': 'abc-123' },
    });
    expect(response.headers.get('x-request-id')).toBe('abc-123');
    expect(requestLine()).toMatchObject({
      requestId: 'abc-123',
      method: 'GET',
      route: '/greetings/:name',
      status: 200,
    });
    expect(lines.join('')).not.toContain('ana?');
    expect(lines.join('')).not.toContain('b.example');
  });

  it.each(['', 'a b', '<script>', 'x'.repeat(129)])('makes an id instead of %j', async (given) => {
    const response = await fetch(`${service.url}/greetings/ana`, { headers: { 'x-request-id': given } });
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('takes the caller’s trace over, or begins one, and logs with it', async () => {
    const traced = (traceparent?: string) =>
      fetch(`${service.url}/greetings/traced`, traceparent === undefined ? {} : { headers: { traceparent } });
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const begun = async (traceparent?: string) => {
      lines.length = 0;
      const { data } = (await (await traced(traceparent)).json()) as { data: string };
      expect(requestLine()).toMatchObject({ traceId: data.split('-')[1] });
      return data;
    };
    expect(await begun(`00-${traceId}-00f067aa0ba902b7-01`)).toBe(`00-${traceId}-00f067aa0ba902b7-01`);
    for (const given of [undefined, 'nonsense', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`]) {
      const one = await begun(given);
      expect(one).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
      expect(one).not.toContain('0'.repeat(32));
      expect(await begun(given)).not.toBe(one);
    }
  });

  it('hears from trusted proxies alone who asks', async () => {
    const asker = async () => {
      const response = await fetch(`${service.url}/greetings/asker`, {
        headers: { 'x-forwarded-for': '203.0.113.9, 198.51.100.7, 10.1.2.3' },
      });
      return ((await response.json()) as { data: string }).data;
    };
    expect(await asker()).toBe('127.0.0.1');
    await service.stop();
    service = await start({ trustedProxies: ['127.0.0.0/8', '10.0.0.0/8'] });
    // The first that no trusted proxy vouches for: what stands before it anybody can write.
    expect(await asker()).toBe('198.51.100.7');
  });

  it('answers with what is long, and not ASCII, whole', async () => {
    const response = await fetch(`${service.url}/greetings/long`);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const bytes = Buffer.from(await response.arrayBuffer());
    // 12 characters, of which Ł, ó, ź and ü take two bytes and the dash three.
    expect(bytes.length).toBe('{"data":""}'.length + 18 * 5_000);
    expect(response.headers.get('content-length')).toBe(String(bytes.length));
    expect(JSON.parse(bytes.toString())).toEqual({ data: 'Łódź–Zürich '.repeat(5_000) });
  });

  it.each([
    ['what is no request', 'nonsense\r\n\r\n', 400],
    [
      'two lengths of one body',
      'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n',
      400,
    ],
    ['headers without end', `GET / HTTP/1.1\r\nhost: a\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ])('answers %s with problem details, and hangs up', async (_what, bytes, status) => {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    socket.end(bytes);
    const answer = await text(socket);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).toContain('application/problem+json');
    expect(JSON.parse(answer.slice(answer.indexOf('{')))).toMatchObject({ status, code: 'unreadable_request' });
  });

  it('logs an unexpected error with the request id, and without addresses or bodies', async () => {
    const response = await fetch(`${service.url}/greetings`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-request-id': 'req-1' },
      body: JSON.stringify({ note: 'body-text' }),
    });
    expect(response.status).toBe(500);
    const errors = lines.filter((line) => line.includes('"level":"error"'));
    expect(errors.join('')).toContain('failed for [mail address]');
    expect(errors.every((line) => line.includes('"requestId":"req-1"'))).toBe(true);
    expect(lines.join('')).not.toContain('body-text');
  });

  it('is ready when every check passes', async () => {
    readiness.push({ name: 'database', check: () => Promise.resolve() });
    const response = await fetch(`${service.url}/health/ready`);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ status: 'ok', info: { database: { status: 'up' } } });
  });

  it('lists what is not ready and why, and is alive all the same', async () => {
    readiness.push(
      { name: 'database', check: () => Promise.resolve() },
      { name: 'queue', check: () => Promise.reject(new Error('not joined yet')) },
      { name: 'relay', deadlineMs: 50, check: () => new Promise(() => undefined) },
    );
    const response = await fetch(`${service.url}/health/ready`);
    expect(response.status).toBe(503);
    const body = (await response.json()) as { status: string; error: Record<string, unknown> };
    expect(body.status).toBe('error');
    expect(Object.keys(body.error)).toEqual(['queue', 'relay']);
    expect(JSON.stringify(body.error)).toContain('not joined yet');
    expect((await fetch(`${service.url}/health/live`)).status).toBe(200);
  });

  it('counts requests by route in Prometheus text', async () => {
    await fetch(`${service.url}/greetings/ana`);
    await fetch(`${service.url}/greetings/leo`);
    await fetch(`${service.url}/nowhere/else`);
    const response = await fetch(`${service.url}/metrics`);
    expect(response.headers.get('content-type')).toContain('text/plain');
    const text = await response.text();
    expect(text).toContain('http_requests_total{method="GET",route="/greetings/:name",status="200"} 2');
    expect(text).toMatch(/http_requests_total\{method="GET",route="[^"/]*",status="404"\} 1/);
    expect(text).toContain('http_request_duration_seconds_bucket');
    expect(text).toContain('process_cpu_seconds_total');
  });

  it.each([
    ['/greetings/%E0%A4%A', 400],
    [`/greetings/${'a'.repeat(200)}`, 414],
  ])('answers %s, which it cannot route, as problem details', async (path, status) => {
    const answer = await fetch(`${service.url}${path}`);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect(await answer.json()).toMatchObject({
      status,
      code: 'bad_url',
      requestId: answer.headers.get('x-request-id'),
    });
  });

  it('refuses a body over its limit', async () => {
    const body = JSON.stringify({ text: 'x'.repeat(2000) });
    const response = await fetch(`${service.url}/greetings`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    expect(response.status).toBe(413);
  });

  it('stops within its deadline although a request never ends, and stops twice', async () => {
    const stubborn = await start({ stopDeadlineMs: 600 });
    const hanging = fetch(`${stubborn.url}/greetings`).catch((error: unknown) => error);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const began = performance.now();
    await Promise.all([stubborn.stop(), stubborn.stop()]);
    expect(performance.now() - began).toBeLessThan(2_000);
    expect(String(await hanging)).toContain('fetch failed');
  });

  it('says in one sentence that the port is taken, and which setting changes it', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    await expect(start({ port })).rejects.toMatchObject({
      name: 'PortUnavailableError',
      message: `Port ${port} on 127.0.0.1, which greeter wants, is taken by another program: stop what uses it, or set PORT to a free port.`,
    });
    other.close();
  });
});
