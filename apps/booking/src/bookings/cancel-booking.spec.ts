import { randomUUID } from 'node:crypto';
import { EticketCancelledEvent, QUEUES } from '@eticket/contracts';
import { jest } from '@jest/globals';
import { eventually } from '@eticket/service/testing';
import { Ackline, readJson } from 'ackline';
import { postgresDriver } from 'ackline/postgres';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { amount, fromWire } from '../money/money.js';
import { currencyOf } from '../money/currency.js';
import { PaymentRefusedError } from '../payments/payment-gateway.js';
import { EXAMPLES, TestBooking } from '../testing/test-booking.js';
import type { BookingDto, CreatedBookingDto } from './booking.dto.js';
import { bookingStatesBefore, paymentStatesBefore } from './booking-states.js';

interface Answered {
  readonly data: BookingDto;
  readonly code?: string;
}

describe('POST /api/bookings/{id}/cancellation', () => {
  let booking: TestBooking;
  beforeAll(async () => {
    booking = await TestBooking.start();
    await eventually(async () => (await booking.call('/health/ready')).status === 200);
  });
  afterAll(() => booking.stop());

  async function book(fareBrand: string): Promise<CreatedBookingDto> {
    const body = await booking.bodyFor(EXAMPLES[1]!);
    const offers = await booking.search(EXAMPLES[1]!.search);
    body.offerId = offers.find((offer) => offer.fareBrand === fareBrand)?.id ?? '';
    return (await booking.post<{ data: CreatedBookingDto }>(body)).body.data;
  }
  const cancel = ({ id, accessToken }: CreatedBookingDto) =>
    booking.call<Answered>(`/api/bookings/${id}/cancellation`, {
      method: 'POST',
      headers: { authorization: `Bearer ${accessToken}` },
    });

  it('refunds all but the penalty of each passenger where the fare allows it', async () => {
    const created = await book('flex');
    const kept = fromWire(created.conditions.refundBeforeDeparture.penalty!).minor;
    const expected = created.passengers
      .map(({ total }) => fromWire(total).minor)
      .reduce((refund, paid) => refund + (paid > kept ? paid - kept : 0n), fromWire(created.price.fees).minor);
    const { status, body } = await cancel(created);
    expect([status, body.data.status, body.data.version]).toEqual([200, 'cancelled', 2]);
    const { refund, refundState } = body.data.cancellation!;
    expect([fromWire(refund), refundState]).toEqual([amount(expected, currencyOf('EUR')), 'paid']);
    expect(expected).toBeGreaterThan(0n);
    expect(booking.gateway.count('refunded')).toBe(1);
  });

  it('refunds nothing of a fare that is not refundable, and says so', async () => {
    const { body } = await cancel(await book('light'));
    expect(body.data.cancellation).toMatchObject({ refund: { amount: '0.00' }, refundState: 'none' });
  });

  it('tells it once, as an event with booking and refund, however often it is asked', async () => {
    const created = await book('flex');
    const answers = await Promise.all([cancel(created), cancel(created), cancel(created)]);
    expect(answers.map(({ status, body }) => [status, body.data.version])).toEqual([
      [200, 2],
      [200, 2],
      [200, 2],
    ]);
    const ackline = new Ackline({ driver: postgresDriver({ connectionString: booking.database.connectionString }) });
    const group = `spec-${randomUUID()}`;
    const events: EticketCancelledEvent[] = [];
    const consumer = ackline.consume({ queue: QUEUES.eticketCancelled, group }, ({ message }) => {
      if (message.key === created.id) events.push(readJson(message) as EticketCancelledEvent);
    });
    await eventually(async () => {
      const { ready, waiting, inFlight } = await ackline.stats(QUEUES.eticketCancelled, group);
      return events.length > 0 && ready + waiting + inFlight === 0;
    });
    await consumer.close();
    await ackline.close();
    expect(events).toMatchObject([
      { version: 2, booking: { id: created.id }, refund: answers[0]?.body.data.cancellation?.refund },
    ]);
    expect(validateSync(plainToInstance(EticketCancelledEvent, events[0]))).toEqual([]);
  });

  it('leaves no e-ticket to be sent again', async () => {
    const created = await book('classic');
    await cancel(created);
    const headers = { authorization: `Bearer ${created.accessToken}` };
    // More often than the limit of resends: what is true of the booking is said each time.
    for (let times = 1; times <= 5; times++) {
      const again = await booking.call(`/api/bookings/${created.id}/eticket`, { method: 'POST', headers });
      expect(again).toMatchObject({ status: 409, body: { code: 'booking_cancelled' } });
    }
  });

  it('is too late once the first flight has left', async () => {
    const created = await book('flex');
    booking.clock.aheadMs = Date.parse(created.segments[0]!.departingAt) - Date.now() + 1_000;
    expect(await cancel(created)).toMatchObject({ status: 409, body: { code: 'booking_not_cancellable' } });
    booking.clock.aheadMs = 0;
  });

  it('says that a refund is still due when the gateway refuses it, for a person to see to', async () => {
    const created = await book('flex');
    const refund = jest
      .spyOn(booking.gateway, 'refund')
      .mockRejectedValue(new PaymentRefusedError('no refunds on Mondays'));
    const { status, body } = await cancel(created);
    refund.mockRestore();
    expect([status, body.data.status, body.data.cancellation?.refundState]).toEqual([200, 'cancelled', 'due']);
    const metrics = await booking.call<string>('/metrics');
    expect(metrics.body).toMatch(/payments_open\{state="refund_refused".*\} 1/);
  });

  it('refunds nothing of money that could never be taken, as of an authorisation that has expired', async () => {
    const capture = jest.spyOn(booking.gateway, 'capture').mockRejectedValue(new PaymentRefusedError('expired'));
    const created = await book('flex');
    await eventually(async () => {
      const metrics = await booking.call<string>('/metrics');
      return /payments_open\{state="uncollectable".*\} 1/.test(metrics.body);
    });
    capture.mockRestore();
    const refunded = booking.gateway.count('refunded');
    const { body } = await cancel(created);
    expect(body.data.cancellation).toMatchObject({ refund: { amount: '0.00' }, refundState: 'none' });
    expect(booking.gateway.count('refunded')).toBe(refunded);
  });

  it('is for who has the token', async () => {
    const created = await book('flex');
    expect((await cancel({ ...created, accessToken: 'bat_wrong' })).status).toBe(404);
  });

  it('follows the one table of states', () => {
    expect([bookingStatesBefore('cancelled'), bookingStatesBefore('ticketed')]).toEqual([['ticketed'], []]);
    expect([paymentStatesBefore('captured'), paymentStatesBefore('authorised')]).toEqual([['authorised'], []]);
  });
});
