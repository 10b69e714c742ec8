import { randomUUID } from 'node:crypto';
import { EticketConfirmedEvent, QUEUES } from '@eticket/contracts';
import { eventually, testDatabase, type TestDatabase } from '@eticket/service/testing';
import { Ackline, readJson } from 'ackline';
import { postgresDriver } from 'ackline/postgres';
import type { CreatedBookingDto } from '../bookings/booking.dto.js';
import { BookingProcess } from '../testing/booking-process.js';
import { FaultGateway, type SilentAt } from '../testing/fault-gateway.js';
import { addDays } from '../times/local-time.js';

const AT_ONCE = 3;
const WAIT = { deadlineMs: 45_000 };

interface Attempt {
  readonly key: string;
  readonly body: object;
}

describe('A booking service killed (-9) in the middle of bookings', () => {
  let database: TestDatabase;
  let gateway: FaultGateway;
  let service: BookingProcess;
  let offerId: string;
  beforeAll(async () => {
    [database, gateway] = [await testDatabase(), await FaultGateway.start()];
    service = await start();
    const date = addDays(new Date().toISOString().slice(0, 10), 60);
    await eventually(async () => (await fetch(`${service.url}/health/ready`)).status === 200, WAIT);
    const search = `${service.url}/api/offers?origin=MAD&destination=LHR&departureDate=${date}`;
    const { data } = (await (await fetch(search)).json()) as { data: { id: string; fareBrand: string }[] };
    offerId = data.find(({ fareBrand }) => fareBrand === 'flex')?.id ?? '';
  }, 120_000);
  afterAll(async () => {
    await service.kill();
    await gateway.stop();
    await database.drop();
  });

  const start = () =>
    BookingProcess.start({
      DATABASE_URL: database.connectionString,
      PAYMENT_GATEWAY_URL: gateway.url,
      PAYMENT_DEADLINE_MS: '10000',
    });
  const attempt = (): Attempt => ({
    key: randomUUID(),
    body: {
      offerId,
      passengers: [{ type: 'adult', title: 'ms', givenName: 'Lucía', familyName: 'Fernández', bornOn: '1988-04-17' }],
      contact: { email: 'lucia@example.com', phone: '+34911234567' },
      payment: { token: 'tok_visa' },
    },
  });
  const post = (path: string, headers: Record<string, string>, body?: object) =>
    fetch(`${service.url}${path}`, {
      method: 'POST',
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
  const send = ({ key, body }: Attempt) => post('/api/bookings', { 'idempotency-key': key }, body);

  const rows = async (query: string): Promise<number> => {
    const result = await database.pool.query<{ count: string }>(query);
    return Number(result.rows[0]?.count);
  };
  const bookings = () => rows('select count(*) from booking.bookings');
  const unfinishedKeys = () => rows('select count(*) from booking.idempotency_keys where response is null');
  /** As if the time had passed after which an attempt counts as dead and a payment as left behind. */
  const letTimePass = async () => {
    await database.pool.query(`update booking.idempotency_keys set claimed_until = now() - interval '1 second'`);
    await database.pool.query(`update booking.bookings set created_at = created_at - interval '1 minute',
      cancelled_at = cancelled_at - interval '1 minute'`);
  };
  async function events(): Promise<readonly EticketConfirmedEvent[]> {
    const ackline = new Ackline({ driver: postgresDriver({ connectionString: database.connectionString }) });
    const found: EticketConfirmedEvent[] = [];
    const consumer = ackline.consume(
      { queue: QUEUES.eticketConfirmed, group: `spec-${randomUUID()}` },
      ({ message }) => void found.push(readJson(message) as EticketConfirmedEvent),
    );
    const expected = await bookings();
    await eventually(() => found.length >= expected, WAIT);
    await consumer.close();
    await ackline.close();
    return found;
  }

  async function nothingIsLeftInTheMiddle(): Promise<void> {
    await eventually(async () => {
      expect(await unfinishedKeys()).toBe(0);
      expect(await rows(`select count(*) from booking.payments where state <> 'captured'`)).toBe(0);
      expect(gateway.authorisations.filter(({ state }) => state === 'authorised')).toEqual([]);
    }, WAIT);
    const charged = gateway.authorisations.filter(({ state }) => state === 'captured');
    expect(charged.map(({ captures }) => captures)).toEqual(charged.map(() => 1));
    expect(charged.length).toBe(await bookings());
    const ids = (await events()).map(({ booking }) => booking.id);
    expect([ids.length, new Set(ids).size]).toEqual([charged.length, charged.length]);
  }

  const SILENCES: readonly (readonly [string, SilentAt, number])[] = [
    ['asked the gateway, which has not done anything yet', 'before authorise', 0],
    ['reserved the money and not heard of it', 'after authorise', 0],
    ['stored the booking and not taken the money', 'before capture', AT_ONCE],
    ['taken the money and not heard of it', 'after capture', AT_ONCE],
  ];
  it.each(SILENCES)(
    'having %s, leaves nothing half done',
    async (_when, silentAt, stored) => {
      const before = await bookings();
      gateway.goSilent(silentAt);
      const attempts = Array.from({ length: AT_ONCE }, attempt);
      const answers = attempts.map((each) => send(each).catch(() => undefined));
      await eventually(() => gateway.silenced >= AT_ONCE, WAIT);
      await service.kill();
      expect(await Promise.all(answers)).toEqual(attempts.map(() => undefined));
      gateway.goSilent(undefined);
      await letTimePass();
      service = await start();
      await nothingIsLeftInTheMiddle();
      expect(await bookings()).toBe(before + stored);

      const again = await Promise.all(attempts.map(send));
      expect(again.map(({ status }) => status)).toEqual(attempts.map(() => 201));
      expect(await bookings()).toBe(before + AT_ONCE);
      await nothingIsLeftInTheMiddle();
    },
    150_000,
  );

  it('in the statement that stores the booking, ends it whole or not at all; the same request sent again makes it once', async () => {
    const before = await bookings();
    const lock = await database.pool.connect();
    await lock.query('begin; lock table booking.tickets in access exclusive mode');
    const attempts = Array.from({ length: AT_ONCE }, attempt);
    const answers = attempts.map((each) => send(each).catch(() => undefined));
    await eventually(
      async () =>
        (await rows(`select count(*) from pg_stat_activity where wait_event_type = 'Lock'
          and datname = current_database() and query like '%insert into booking.bookings%'`)) >= AT_ONCE,
      WAIT,
    );
    await service.kill();
    await Promise.all(answers);
    await lock.query('rollback');
    lock.release();
    await letTimePass();
    service = await start();
    await eventually(async () => (await fetch(`${service.url}/health/ready`)).status === 200, WAIT);
    const again = await Promise.all(attempts.map(send));
    expect(again.map(({ status }) => status)).toEqual(attempts.map(() => 201));
    expect(await bookings()).toBe(before + AT_ONCE);
    await nothingIsLeftInTheMiddle();
  }, 150_000);

  it('in the middle of a refund, gives the money back once', async () => {
    const { data } = (await (await send(attempt())).json()) as { data: CreatedBookingDto };
    gateway.goSilent('after refund');
    const authorization = `Bearer ${data.accessToken}`;
    const cancelled = post(`/api/bookings/${data.id}/cancellation`, { authorization }).catch(() => undefined);
    await eventually(() => gateway.silenced > 0, WAIT);
    await service.kill();
    expect(await cancelled).toBeUndefined();
    gateway.goSilent(undefined);
    await letTimePass();
    service = await start();
    await eventually(
      async () => expect(await rows('select count(*) from booking.payments where refunded_at is not null')).toBe(1),
      WAIT,
    );
    expect(gateway.authorisations.filter(({ refunds }) => refunds.length > 0)).toMatchObject([
      { refunds: [`refund-${data.id}`] },
    ]);
  }, 150_000);
});
