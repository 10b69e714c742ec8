import { createLogger } from '@eticket/service';
import { eventually } from '@eticket/service/testing';
import { readBookingConfig } from '../booking-config.js';
import type { CreatedBookingDto } from '../bookings/booking.dto.js';
import { addDays } from '../times/local-time.js';
import { EXAMPLES, MovableClock, TestBooking } from '../testing/test-booking.js';
import { readRetentionCommand, runRetention } from './retention-command.js';

const DAY_MS = 86_400_000;
const EXAMPLE = EXAMPLES[1]!;

describe('The personal data of a booking', () => {
  let booking: TestBooking;
  let old: CreatedBookingDto;
  let recent: CreatedBookingDto;
  const clock = new MovableClock();
  beforeAll(async () => {
    booking = await TestBooking.start();
    await eventually(async () => (await booking.call('/health/ready')).status === 200);
    const book = async (daysLater: number): Promise<CreatedBookingDto> => {
      const { departureInDays, returnInDays, ...search } = EXAMPLE.search;
      const shifted = {
        ...search,
        departureInDays: departureInDays + daysLater,
        returnInDays: returnInDays! + daysLater,
      };
      const answer = await booking.post<{ data: CreatedBookingDto }>(
        await booking.bodyFor({ ...EXAMPLE, search: shifted }),
      );
      expect(answer.status).toBe(201);
      return answer.body.data;
    };
    old = await book(0);
    recent = await book(3);
  });
  afterAll(() => booking.stop());

  const run = (...args: string[]) => {
    const env = { DATABASE_URL: booking.database.connectionString, PERSONAL_DATA_DAYS: '30' };
    const logger = createLogger({ service: 'spec', level: 'silent' });
    return runRetention(readRetentionCommand(args), readBookingConfig(env), { logger, clock });
  };
  const open = ({ id, accessToken }: CreatedBookingDto) =>
    booking.call(`/api/bookings/${id}`, { headers: { authorization: `Bearer ${accessToken}` } });
  /** Of all tables of the service but the keys, which have their own end. */
  async function stored(id: string): Promise<string> {
    const parts = await Promise.all(
      [
        'bookings where id',
        'passengers where booking_id',
        'tickets where booking_id',
        'mail_statuses where booking_id',
      ].map(
        async (from) => (await booking.database.pool.query<object>(`select * from booking.${from} = $1`, [id])).rows,
      ),
    );
    return JSON.stringify(parts);
  }

  it('is kept until so many days after the last flight, and is gone then; what accounts need stays', async () => {
    const arrival = old.segments.at(-1)!.arrivingAt.slice(0, 10);
    const [before, after] = [addDays(arrival, 30), addDays(arrival, 31)];
    clock.aheadMs = Date.parse(before) - Date.now();
    expect(await run('--dry-run')).toMatch(/^0 bookings /);
    expect(await run()).toMatch(/^0 bookings /);

    clock.aheadMs = Date.parse(after) - Date.now();
    const untouched = await stored(recent.id);
    expect(await run('--dry-run')).toMatch(/^1 bookings .* nothing was changed\.$/);
    expect((await open(old)).status).toBe(200);
    expect(await stored(old.id)).toContain(old.passengers[0]!.familyName);
    expect(await run()).toMatch(/^1 bookings .* were anonymised\.$/);
    expect(await run()).toMatch(/^0 bookings /);

    const left = await stored(old.id);
    for (const { givenName, familyName, ticketName, ticketNumber } of old.passengers) {
      for (const personal of [givenName, familyName, ticketName]) expect(left).not.toContain(personal);
      expect(left).toContain(ticketNumber);
    }
    for (const { bornOn } of (await booking.bodyFor(EXAMPLE)).passengers) expect(left).not.toContain(String(bornOn));
    expect(left).not.toContain(EXAMPLE.contact.email);
    expect(left).not.toContain(EXAMPLE.contact.phone);
    for (const fact of [old.reference, old.total.amount, old.segments[0]!.flightNumber, '4444'])
      expect(left).toContain(fact);

    expect(await open(old)).toMatchObject({ status: 404, body: { code: 'booking_not_found' } });
    const lookup = { reference: old.reference, surname: old.passengers[0]!.familyName };
    for (const body of [lookup, { ...lookup, surname: 'x' }]) {
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
      expect(await booking.call('/api/bookings/lookup', init)).toMatchObject({ status: 404 });
    }
    expect(await stored(recent.id)).toBe(untouched);
    expect((await open(recent)).status).toBe(200);
  });

  it('is forgotten by the service itself too, at its start and then on schedule', async () => {
    const env = { PERSONAL_DATA_DAYS: '1' };
    const next = await TestBooking.start({ database: booking.database, env, aheadMs: 400 * DAY_MS });
    try {
      await eventually(async () => (await open(recent)).status === 404, { deadlineMs: 30_000 });
      expect(next.logLines.join('')).toContain('personal data of old bookings was forgotten');
    } finally {
      await next.service.stop();
    }
  });
});
