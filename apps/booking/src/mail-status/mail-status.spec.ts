import { randomUUID } from 'node:crypto';
import { CONSUMER_GROUPS, QUEUES, type MailStatus } from '@eticket/contracts';
import { eventually } from '@eticket/service/testing';
import { Ackline, jsonMessage } from 'ackline';
import { postgresDriver } from 'ackline/postgres';
import type { BookingDto, CreatedBookingDto, MailDto } from '../bookings/booking.dto.js';
import { EXAMPLES, TestBooking } from '../testing/test-booking.js';

describe('The mail of a booking', () => {
  let booking: TestBooking;
  let ackline: Ackline;
  let created: CreatedBookingDto;
  let cookie: string;
  beforeAll(async () => {
    booking = await TestBooking.start();
    await eventually(async () => (await booking.call('/health/ready')).status === 200);
    ackline = new Ackline({ driver: postgresDriver({ connectionString: booking.database.connectionString }) });
  });
  beforeEach(async () => {
    const answer = await booking.post<{ data: CreatedBookingDto }>(await booking.bodyFor(EXAMPLES[0]!));
    created = answer.body.data;
    cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
  });
  afterAll(async () => {
    await ackline.close();
    await booking.stop();
  });

  async function tell(version: number, revision: number, status: MailStatus, more: object = {}): Promise<void> {
    const [eventId, bookingId] = [randomUUID(), created.id];
    const event = {
      eventId,
      type: QUEUES.eticketMailStatus,
      version,
      revision,
      occurredAt: new Date().toISOString(),
      bookingId,
      status,
    };
    await ackline.publish(
      QUEUES.eticketMailStatus,
      jsonMessage({ ...event, ...more }, { id: eventId, key: bookingId }),
    );
  }
  async function mail(): Promise<MailDto> {
    const headers = { authorization: `Bearer ${created.accessToken}` };
    return (await booking.call<{ data: BookingDto }>(`/api/bookings/${created.id}`, { headers })).body.data.mail;
  }
  const settled = () =>
    eventually(async () => {
      const { ready, waiting, inFlight } = await ackline.stats(
        QUEUES.eticketMailStatus,
        CONSUMER_GROUPS.bookingMailStatus,
      );
      return ready + waiting + inFlight === 0;
    });

  it('is shown as the worker tells it, on the API and the page', async () => {
    expect(await mail()).toEqual({ status: 'queued' });
    const nextTryAt = '2026-11-30T18:10:00.000Z';
    await tell(1, 1, 'delayed', { nextTryAt, reason: 'relay_away' });
    await eventually(async () => expect(await mail()).toEqual({ status: 'delayed', nextTryAt, reason: 'relay_away' }));
    const sent = { sentAt: '2026-11-30T18:12:11.000Z', messageId: '<eticket.1@mail.example>' };
    await tell(1, 2, 'sent', sent);
    await eventually(async () => expect(await mail()).toEqual({ status: 'sent', ...sent }));
    const page = await booking.call<string>(`/bookings/${created.id}`, { headers: { cookie, accept: 'text/html' } });
    expect(page.body).toContain('Your e-ticket was sent to l***@example.com');
    expect(page.body).not.toContain('http-equiv');
    const line = await booking.call(`/bookings/${created.id}/mail`, { headers: { cookie } });
    expect(line.body).toEqual({
      data: {
        status: 'sent',
        final: true,
        text: 'Your e-ticket was sent to l***@example.com at',
        at: sent.sentAt,
        atText: '18:12 UTC, 30 Nov 2026',
      },
    });
    expect((await booking.call(`/bookings/${created.id}/mail`)).status).toBe(401);
  });

  it('keeps the newest status whatever order the queue brings them in', async () => {
    await tell(1, 3, 'sent', { sentAt: '2026-11-30T18:12:11Z' });
    await tell(1, 2, 'delayed');
    await tell(1, 1, 'sending');
    await tell(1, 3, 'failed');
    await settled();
    expect(await mail()).toMatchObject({ status: 'sent' });
    await tell(2, 1, 'sending');
    await tell(1, 9, 'failed');
    await settled();
    expect(await mail()).toEqual({ status: 'sending' });
  });

  it('is not disturbed by events of another shape or booking: dead letters after one delivery', async () => {
    const dead = ackline.deadLetters(QUEUES.eticketMailStatus, CONSUMER_GROUPS.bookingMailStatus);
    await ackline.publish(QUEUES.eticketMailStatus, [
      { id: randomUUID(), payload: new TextEncoder().encode('{"broken') },
      jsonMessage({ type: QUEUES.eticketMailStatus, status: 'sent' }, { id: randomUUID() }),
    ]);
    await tell(1, 1, 'sent', { bookingId: randomUUID() });
    await tell(1, 1, 'sending');
    await eventually(async () => expect(await mail()).toEqual({ status: 'sending' }));
    await eventually(async () => {
      const letters: unknown[] = [];
      for await (const letter of dead.list()) letters.push([letter.errorCode, letter.deliveryCount]);
      expect(letters.sort()).toEqual([
        ['invalid_json', 1],
        ['invalid_payload', 1],
        ['unknown_booking', 1],
      ]);
    });
  });
});
