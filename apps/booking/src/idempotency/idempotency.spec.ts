import { randomUUID } from 'node:crypto';
import { eventually } from '@eticket/service/testing';
import type { CreatedBookingDto } from '../bookings/booking.dto.js';
import { ScriptedGateway } from '../testing/scripted-gateway.js';
import { EXAMPLES, TestBooking, type BookingBody } from '../testing/test-booking.js';

interface Created {
  readonly data: CreatedBookingDto;
}

describe('A repeated POST /api/bookings', () => {
  const gateway = new ScriptedGateway();
  let booking: TestBooking;
  let body: BookingBody;
  beforeAll(async () => {
    booking = await TestBooking.start({ gateway });
    await eventually(async () => (await booking.call('/health/ready')).status === 200);
    body = await booking.bodyFor(EXAMPLES[0]!);
  });
  afterAll(() => booking.stop());

  const bookings = async () => (await booking.storedRows()).bookings ?? 0;
  const send = (key: string, other: unknown = body) => booking.post<Created>(other, { 'idempotency-key': key });

  it('is answered as the first time, to the byte, also when the offer has expired since', async () => {
    const key = randomUUID();
    const first = await send(key);
    expect(first.status).toBe(201);
    const before = await bookings();
    booking.clock.aheadMs = 3 * 3_600_000;
    try {
      const again = await send(key);
      expect([again.status, JSON.stringify(again.body)]).toEqual([201, JSON.stringify(first.body)]);
      expect(again.headers.get('location')).toBe(first.headers.get('location'));
    } finally {
      booking.clock.aheadMs = 0;
    }
    expect(await bookings()).toBe(before);
  });

  it('is the same request however its JSON is written', async () => {
    const key = randomUUID();
    const first = await send(key);
    const reordered = Object.fromEntries(Object.entries(body).reverse());
    const again = await send(`"${key}"`, JSON.stringify(reordered, null, 2));
    expect(again.body).toEqual(first.body);
  });

  it.each([
    ['another booking', (first: BookingBody) => ({ ...first, locale: 'en-GB' })],
    ['one that is not valid', () => ({})],
    ['one for an offer that nobody made', (first: BookingBody) => ({ ...first, offerId: 'off_x' })],
  ])('with its key but another body is refused: %s', async (_what, change) => {
    const key = randomUUID();
    await send(key);
    const before = await bookings();
    expect(await send(key, change(body))).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
    expect(await bookings()).toBe(before);
  });

  it('twenty at once make one booking, one charge and one event, and all get its answer (P16)', async () => {
    const [key, before, captured] = [randomUUID(), await bookings(), gateway.count('captured')];
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(key)));
    expect(answers.map((answer) => answer.status)).toEqual(Array(20).fill(201));
    expect(new Set(answers.map((answer) => JSON.stringify(answer.body))).size).toBe(1);
    expect(await bookings()).toBe(before + 1);
    expect(gateway.count('captured')).toBe(captured + 1);
    const id = answers[0]?.body.data.id;
    const { rows } = await booking.database.pool.query(`select 1 from ackline.message where key = $1`, [id]);
    expect(rows).toHaveLength(1);
  });

  it('while the first one is under way waits for it', async () => {
    const key = randomUUID();
    gateway.hold();
    const first = send(key);
    await eventually(async () => (await claimOf(key)) !== undefined);
    let answered = false;
    const second = send(key).finally(() => (answered = true));
    const other = await send(key, { ...body, locale: 'fr' });
    expect(other).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
    expect(answered).toBe(false);
    gateway.release();
    expect((await second).body).toEqual((await first).body);
  });

  it('carries on what a process that died had begun: the same booking, the same authorisation', async () => {
    const [key, before] = [randomUUID(), await bookings()];
    const [requests, voided] = [gateway.requests.length, gateway.count('voided')];
    gateway.hold();
    const dead = send(key);
    await eventually(async () => (await claimOf(key)) !== undefined);
    await booking.database.pool.query('update booking.idempotency_keys set claimed_until = now() where key = $1', [
      key,
    ]);
    const carriedOn = send(key);
    await eventually(() => gateway.requests.length === requests + 2);
    gateway.release();
    const [late, again] = await Promise.all([dead, carriedOn]);
    expect(again.status).toBe(201);
    // Back from the dead: it stores nothing, and answers as the other did, or that the other is still at it.
    if (late.status === 201) expect(late.body).toEqual(again.body);
    else expect(late).toMatchObject({ status: 409, body: { code: 'request_in_progress' } });
    expect(await bookings()).toBe(before + 1);
    expect([gateway.count('authorised'), gateway.count('voided')]).toEqual([0, voided]);
    const asked = gateway.requests.slice(requests).map((request) => request.idempotencyKey);
    expect([asked.length, new Set(asked).size]).toEqual([2, 1]);
  });

  it('after a declined card may come with another card', async () => {
    const key = randomUUID();
    expect(await send(key, { ...body, payment: { token: 'tok_chargeDeclined' } })).toMatchObject({ status: 402 });
    expect(await send(key)).toMatchObject({ status: 201 });
  });

  it('after a fault of ours is carried out: nothing was stored or charged', async () => {
    const { pool } = booking.database;
    const [key, before, voided] = [randomUUID(), await booking.storedRows(), gateway.count('voided')];
    await pool.query(`create function booking.fail() returns trigger language plpgsql as $$ begin raise 'no tickets today'; end $$;
      create trigger fail before insert on booking.tickets for each row execute function booking.fail()`);
    const answer = await send(key);
    await pool.query('drop function booking.fail() cascade');
    expect(answer).toMatchObject({ status: 500, body: { code: 'internal_error' } });
    expect(JSON.stringify(answer.body)).not.toContain('no tickets today');
    expect(await booking.storedRows()).toEqual(before);
    expect(gateway.count('voided')).toBe(voided + 1);
    expect(await send(key)).toMatchObject({ status: 201 });
  });

  it('is new again once its lifetime is over', async () => {
    const [key, { pool }] = [randomUUID(), booking.database];
    const first = await send(key);
    await pool.query(`update booking.idempotency_keys set created_at = now() - interval '25 hours' where key = $1`, [
      key,
    ]);
    // A service forgets at its start, and then from time to time.
    const next = await TestBooking.start({ database: booking.database });
    await eventually(async () => (await claimOf(key)) === undefined);
    await next.service.stop();
    const second = await send(key);
    expect([first.status, second.status]).toEqual([201, 201]);
    expect((second.body as { data?: { id?: string } }).data?.id).not.toBe(
      (first.body as { data?: { id?: string } }).data?.id,
    );
  });

  async function claimOf(key: string): Promise<string | undefined> {
    const { rows } = await booking.database.pool.query<{ claim: string }>(
      'select claim from booking.idempotency_keys where key = $1',
      [key],
    );
    return rows[0]?.claim;
  }
});
