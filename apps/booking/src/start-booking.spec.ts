import { randomUUID } from 'node:crypto';
import { QUEUES } from '@eticket/contracts';
import { eventually, testDatabase, type TestDatabase } from '@eticket/service/testing';
import { Ackline } from 'ackline';
import { MemoryStore } from 'ackline/memory';
import { readBookingConfig } from './booking-config.js';
import type { CreatedBookingDto } from './bookings/booking.dto.js';
import { EXAMPLES, TestBooking } from './testing/test-booking.js';
import { TcpLink } from './testing/tcp-link.js';

const EXAMPLE = EXAMPLES[0]!;

describe('The booking service', () => {
  let database: TestDatabase;
  let link: TcpLink;
  let env: NodeJS.ProcessEnv;
  beforeEach(async () => {
    database = await testDatabase();
    const url = new URL(database.connectionString);
    link = await TcpLink.to(url.hostname, Number(url.port));
    url.port = String(link.port);
    env = { DATABASE_URL: url.toString(), BOOKING_SECRET: 'a secret of more than thirty-two characters' };
  });
  afterEach(async () => {
    await link.close();
    await database.drop();
  });
  const readiness = async (booking: TestBooking) => (await booking.call('/health/ready')).status;

  it('starts without its database, says so, and works once it is there', async () => {
    link.cut();
    const booking = await TestBooking.start({ database, env });
    try {
      expect(await booking.call('/health/live')).toMatchObject({ status: 200 });
      expect(await booking.call('/health/ready')).toMatchObject({
        status: 503,
        body: { error: { database: { status: 'down' } } },
      });
      // What needs no database goes on; what does is answered at once.
      const body = await booking.bodyFor(EXAMPLE);
      const answer = await booking.post(body);
      expect(answer).toMatchObject({ status: 503, body: { code: 'service_unavailable' } });
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      link.mend();
      await eventually(async () => (await readiness(booking)) === 200, { deadlineMs: 20_000 });
      expect(await booking.post(body)).toMatchObject({ status: 201 });
    } finally {
      await booking.service.stop();
    }
  });

  it('outlives a database that goes away and comes back: 503 meanwhile, no booking twice', async () => {
    const booking = await TestBooking.start({ database, env });
    try {
      await eventually(async () => (await readiness(booking)) === 200);
      const [key, body] = [randomUUID(), await booking.bodyFor(EXAMPLE)];
      link.cut();
      const away = await booking.post(body, { 'idempotency-key': key });
      expect(away).toMatchObject({ status: 503, body: { code: 'service_unavailable' } });
      expect(away.headers.get('retry-after')).not.toBeNull();
      const headers = { authorization: 'Bearer bat_x' };
      expect(await booking.call(`/api/bookings/${randomUUID()}`, { headers })).toMatchObject({ status: 503 });
      expect(await readiness(booking)).toBe(503);
      link.mend();
      await eventually(async () => (await booking.post(body, { 'idempotency-key': key })).status === 201, {
        deadlineMs: 20_000,
      });
      expect(await booking.storedRows()).toMatchObject({ bookings: 1, payments: 1 });
      expect(booking.gateway.count('authorised')).toBe(0);
    } finally {
      await booking.service.stop();
    }
  });

  it('opens after a restart what it gave out before, with a secret of its own making', async () => {
    const own = { ...env, BOOKING_SECRET: undefined };
    const first = await TestBooking.start({ database, env: own });
    await eventually(async () => (await readiness(first)) === 200);
    const body = await first.bodyFor(EXAMPLE);
    const { data } = (await first.post<{ data: CreatedBookingDto }>(body)).body;
    const [offer] = await first.search(EXAMPLE.search);
    await first.service.stop();
    const second = await TestBooking.start({ database, env: own });
    try {
      await eventually(async () => (await readiness(second)) === 200);
      const headers = { authorization: `Bearer ${data.accessToken}` };
      expect(await second.call(`/api/bookings/${data.id}`, { headers })).toMatchObject({ status: 200 });
      expect(await second.call(`/api/offers/${offer?.id}`)).toMatchObject({ status: 200 });
    } finally {
      await second.service.stop();
    }
  });

  it('with a queue outside its database hands events on from the outbox after the commit', async () => {
    const driver = new MemoryStore().driver();
    const booking = await TestBooking.start({ database, env, driver });
    const ackline = new Ackline({ driver });
    try {
      await eventually(async () => (await readiness(booking)) === 200);
      const { data } = (await booking.post<{ data: CreatedBookingDto }>(await booking.bodyFor(EXAMPLE))).body;
      const keys: (string | undefined)[] = [];
      ackline.consume({ queue: QUEUES.eticketConfirmed, group: 'spec' }, ({ message }) => void keys.push(message.key));
      await eventually(() => expect(keys).toEqual([data.id]));
      const { body } = await booking.call<string>('/metrics');
      expect(body).toMatch(/outbox_waiting\{[^}]*\} 0/);
    } finally {
      await booking.service.stop();
      await ackline.close();
    }
  });

  it('counts what it does, for Prometheus', async () => {
    const booking = await TestBooking.start({ database, env });
    try {
      await eventually(async () => (await readiness(booking)) === 200);
      await booking.post(await booking.bodyFor(EXAMPLE));
      await booking.post({});
      const { body } = await booking.call<string>('/metrics');
      expect(body).toMatch(/bookings_total\{[^}]*outcome="created"[^}]*\} 1/);
      expect(body).toMatch(/bookings_total\{[^}]*outcome="validation_error"[^}]*\} 1/);
      expect(body).toMatch(/eticket_confirmed_oldest_age_seconds\{[^}]*\} \d/);
      expect(body).toMatch(/outbox_oldest_age_seconds\{[^}]*\} 0/);
    } finally {
      await booking.service.stop();
    }
  });
});

describe('Its settings', () => {
  const good = { DATABASE_URL: 'postgres://u:p@127.0.0.1:5432/eticket' };

  it('have defaults for a machine of one’s own', () => {
    expect(readBookingConfig(good)).toMatchObject({ host: '127.0.0.1', port: 3000, inboxUrl: 'http://127.0.0.1:8025' });
    expect(readBookingConfig({ ...good, PUBLIC_URL: 'https://book.example.com' }).inboxUrl).toBeUndefined();
  });

  it('are all named when they are wrong, and secrets are not repeated', () => {
    const read = () =>
      readBookingConfig({ PORT: 'x', PUBLIC_URL: 'nowhere', BOOKING_SECRET: 'short', LOG_LEVEL: 'loud' });
    for (const name of ['PORT', 'PUBLIC_URL', 'BOOKING_SECRET', 'LOG_LEVEL', 'DATABASE_URL'])
      expect(read).toThrow(name);
    expect(read).not.toThrow('short');
  });
});
