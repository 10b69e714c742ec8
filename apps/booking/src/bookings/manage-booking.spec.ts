import { randomUUID } from 'node:crypto';
import { EticketConfirmedEvent, QUEUES } from '@eticket/contracts';
import { eventually } from '@eticket/service/testing';
import { Ackline, jsonMessage, readJson, type Message } from 'ackline';
import { postgresDriver } from 'ackline/postgres';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { EventStream } from '../testing/event-stream.js';
import { EXAMPLES, TestBooking, type Answer } from '../testing/test-booking.js';
import type { BookingDto, CreatedBookingDto, MailDto } from './booking.dto.js';
import type { FoundBookingDto } from './lookup.dto.js';

interface Problem {
  readonly code: string;
  readonly detail: string;
  readonly errors?: readonly { readonly pointer: string; readonly code: string }[];
}

describe('Manage booking', () => {
  let booking: TestBooking;
  let ackline: Ackline;
  let created: CreatedBookingDto;
  beforeAll(async () => {
    booking = await TestBooking.start();
    await eventually(async () => (await booking.call('/health/ready')).status === 200);
    ackline = new Ackline({ driver: postgresDriver({ connectionString: booking.database.connectionString }) });
  });
  beforeEach(async () => {
    booking.clock.aheadMs += 3_600_000;
    const answer = await booking.post<{ data: CreatedBookingDto }>(await booking.bodyFor(EXAMPLES[1]!));
    created = answer.body.data;
  });
  afterAll(async () => {
    await ackline.close();
    await booking.stop();
  });

  const authorised = () => ({ authorization: `Bearer ${created.accessToken}` });
  const lookup = <T = { data: FoundBookingDto }>(reference: unknown, surname: unknown): Promise<Answer<T>> =>
    booking.call<T>('/api/bookings/lookup', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ reference, surname }),
    });
  const resend = <T = { data: BookingDto }>() =>
    booking.call<T>(`/api/bookings/${created.id}/eticket`, { method: 'POST', headers: authorised() });

  describe('POST /api/bookings/lookup', () => {
    it('opens the booking by reference and the surname of any passenger, however it is spelt', async () => {
      for (const [reference, surname] of [
        [created.reference, created.passengers[0]!.familyName],
        [created.reference.toLowerCase(), created.passengers[1]!.familyName.toUpperCase()],
        [` ${created.reference} `, 'puig-serra'],
      ] as const) {
        const { status, body } = await lookup(reference, surname);
        expect([status, body.data?.id]).toEqual([200, created.id]);
        expect(body.data.accessToken).toBe(created.accessToken);
        const link = new URL(body.data.confirmationUrl);
        expect((await booking.call(link.pathname + link.search)).status).toBe(303);
      }
    });

    it('answers a wrong surname and an unknown reference alike', async () => {
      const [wrong, unknown] = [
        await lookup<Problem>(created.reference, 'Nadie'),
        await lookup<Problem>('ZZZZZZ', 'Nadie'),
      ];
      expect([wrong.status, wrong.body.code]).toEqual([404, 'booking_not_found']);
      expect([unknown.status, unknown.body.detail]).toEqual([404, wrong.body.detail]);
    });

    it('lets nobody go on guessing at a reference, also who then guesses right', async () => {
      const familyName = created.passengers[0]!.familyName;
      for (let tries = 0; tries < 8; tries++) expect((await lookup(created.reference, familyName)).status).toBe(200);
      for (let tries = 0; tries < 5; tries++) expect((await lookup(created.reference, 'Nadie')).status).toBe(404);
      const refused = await lookup<Problem>(created.reference, familyName);
      expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited']);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(100);
      booking.clock.aheadMs += 200_000;
      expect((await lookup(created.reference, familyName)).status).toBe(200);
    });

    it('lets no address go on guessing at references', async () => {
      for (let tries = 0; tries < 10; tries++)
        expect((await lookup(`ZZZZZ${(tries % 8) + 2}`, 'Nadie')).status).toBe(404);
      expect((await lookup('ZZZZZA', 'Nadie')).status).toBe(429);
    });

    it.each([
      ['/reference', 'invalid_reference', 'K7XQ40', 'Puig'],
      ['/reference', 'wrong_type', undefined, 'Puig'],
      ['/surname', 'invalid_name', 'K7XQ4S', ''],
      ['/surname', 'invalid_name', 'K7XQ4S', 7],
    ])('names %s: %s', async (pointer, code, reference, surname) => {
      const { status, body } = await lookup<Problem>(reference, surname);
      expect(status).toBe(422);
      expect(body.errors).toMatchObject([{ pointer, code: reference === undefined ? 'required' : code }]);
    });

    it('leaves no surname and no token in the log', async () => {
      await lookup(created.reference, 'Verygarciapersonal');
      await lookup(created.reference, created.passengers[0]!.familyName);
      const log = booking.logLines.join('');
      expect(log).not.toContain('Verygarciapersonal');
      expect(log).not.toContain(created.accessToken);
    });
  });

  describe('POST /api/bookings/{id}/eticket', () => {
    async function messages(): Promise<readonly Message[]> {
      const found: Message[] = [];
      const group = `spec-${randomUUID()}`;
      const consumer = ackline.consume({ queue: QUEUES.eticketConfirmed, group }, ({ message }) => {
        if (message.key === created.id) found.push(message);
      });
      await eventually(async () => {
        const { ready, waiting, inFlight } = await ackline.stats(QUEUES.eticketConfirmed, group);
        return found.length > 0 && ready + waiting + inFlight === 0;
      });
      await consumer.close();
      return found;
    }

    it('queues the mail again, as a new version of the same booking', async () => {
      const { status, body } = await resend();
      expect([status, body.data.version, body.data.mail]).toEqual([202, 2, { status: 'queued' }]);
      const events = (await messages()).map((message) => readJson(message) as EticketConfirmedEvent);
      expect(events.map(({ version }) => version).sort()).toEqual([1, 2]);
      const [first, second] = events.sort((one, other) => one.version - other.version);
      expect(second?.booking).toEqual(first?.booking);
      expect(second?.eventId).not.toBe(first?.eventId);
      expect(validateSync(plainToInstance(EticketConfirmedEvent, second))).toEqual([]);
    });

    it('is refused after three, with the time to wait', async () => {
      for (let tries = 0; tries < 3; tries++) expect((await resend()).status).toBe(202);
      const refused = await resend<Problem>();
      expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited']);
      expect(refused.headers.get('retry-after')).toBe('300');
      expect((await messages()).length).toBe(4);
    });

    it('is for who has the token', async () => {
      const path = `/api/bookings/${created.id}/eticket`;
      expect((await booking.call(path, { method: 'POST' })).status).toBe(401);
      const headers = { authorization: 'Bearer bat_wrong' };
      expect((await booking.call(path, { method: 'POST', headers })).status).toBe(404);
    });

    it('is counted in the metrics of the queue, as the booking is', async () => {
      const published = async () => {
        const { body } = await booking.call<string>('/metrics');
        return Number(/^queue_messages_published_total\{queue="eticket-confirmed".*\} (\d+)$/m.exec(body)?.[1]);
      };
      const before = await published();
      await resend();
      expect(await published()).toBe(before + 1);
    });
  });

  describe('GET /api/bookings/{id}/events', () => {
    const open = () => EventStream.open(`${booking.service.url}/api/bookings/${created.id}/events`, authorised());
    async function tell(version: number, revision: number, status: string, more: object = {}): Promise<void> {
      const [eventId, bookingId] = [randomUUID(), created.id];
      const event = { eventId, type: QUEUES.eticketMailStatus, version, revision, bookingId, status };
      await ackline.publish(
        QUEUES.eticketMailStatus,
        jsonMessage({ ...event, occurredAt: new Date().toISOString(), ...more }, { id: eventId, key: bookingId }),
      );
    }

    it('tells the status now and each change, a resend too', async () => {
      const events = await open();
      expect(events.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
      expect(events.response.headers.get('cache-control')).toBe('no-store');
      expect(await events.next<MailDto>()).toEqual({ status: 'queued' });
      const sentAt = '2026-11-30T18:02:11.000Z';
      await tell(1, 1, 'sent', { sentAt, messageId: '<a@b>' });
      expect(await events.next<MailDto>()).toEqual({ status: 'sent', sentAt, messageId: '<a@b>' });
      await resend();
      expect(await events.next<MailDto>()).toEqual({ status: 'queued' });
      await tell(1, 2, 'sent', { sentAt, messageId: '<late@b>' });
      await tell(2, 1, 'sending');
      expect(await events.next<MailDto>()).toEqual({ status: 'sending' });
      await events.close();
    });

    it('is for who has the token', async () => {
      const answer = await booking.call<Problem>(`/api/bookings/${created.id}/events`);
      expect([answer.status, answer.body.code]).toEqual([401, 'unauthorized']);
    });

    it('ends when the service stops, which does not wait for it', async () => {
      const other = await TestBooking.start();
      await eventually(async () => (await other.call('/health/ready')).status === 200);
      const answer = await other.post<{ data: CreatedBookingDto }>(await other.bodyFor(EXAMPLES[0]!));
      const { id, accessToken } = answer.body.data;
      const events = await EventStream.open(`${other.service.url}/api/bookings/${id}/events`, {
        authorization: `Bearer ${accessToken}`,
      });
      expect(await events.next<MailDto>()).toEqual({ status: 'queued' });
      const startedAt = performance.now();
      await other.stop();
      expect(await events.next()).toBeUndefined();
      expect(performance.now() - startedAt).toBeLessThan(4_500);
    });
  });

  it('counts searches and bookings by address, and refuses too many', async () => {
    const strict = await TestBooking.start({ env: { SEARCHES_PER_MINUTE: '2', BOOKINGS_PER_MINUTE: '1' } });
    await eventually(async () => (await strict.call('/health/ready')).status === 200);
    const body = await strict.bodyFor(EXAMPLES[0]!);
    expect((await strict.post(body)).status).toBe(201);
    expect(await strict.post(body)).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    await strict.search(EXAMPLES[0]!.search);
    await expect(strict.search(EXAMPLES[0]!.search)).rejects.toThrow('429');
    strict.clock.aheadMs = 60_000;
    expect((await strict.post(body)).status).toBe(201);
    await strict.stop();
  });
});
