import { eventually } from '@eticket/service/testing';
import { TestBooking } from '../testing/test-booking.js';
import { SecretKeys } from '../security/secret-keys.js';
import { EXAMPLES } from '../testing/test-booking.js';
import { openOffer, sealOffer, type SealedOffer } from './offer-seal.js';
import type { OfferDto } from './offer.dto.js';

interface Found {
  readonly data: readonly OfferDto[];
}
interface Problem {
  readonly code: string;
  readonly errors: readonly { readonly pointer: string; readonly code: string }[];
}

const SECRET = 'a secret of more than thirty-two characters';

describe('GET /api/offers', () => {
  let booking: TestBooking;
  beforeAll(async () => {
    booking = await TestBooking.start({ env: { BOOKING_SECRET: SECRET } });
    await eventually(async () => (await booking.call('/health/ready')).status === 200);
  });
  afterAll(() => booking.stop());

  const find = <T>(change: Readonly<Record<string, string>> = {}) => {
    const query = { origin: 'MAD', destination: 'LHR', departureDate: booking.dayIn(45), ...change };
    return booking.call<T>(`/api/offers?${new URLSearchParams(query).toString()}`);
  };

  it('comes in pages, each offer once and in the order of one page, also while time goes on', async () => {
    interface Page extends Found {
      readonly meta: { readonly limit: number; readonly total: number; readonly after?: string };
    }
    const all = (await find<Page>()).body;
    expect(all.meta).toEqual({ limit: 50, total: all.data.length });
    expect(all.data.length).toBeGreaterThan(7);
    const paged: OfferDto[] = [];
    let after: string | undefined;
    try {
      do {
        const { status, body } = await find<Page>({ limit: '7', ...(after !== undefined && { after }) });
        expect([status, body.meta.limit, body.meta.total]).toEqual([200, 7, all.data.length]);
        paged.push(...body.data);
        after = body.meta.after;
        booking.clock.aheadMs += 4 * 60_000;
      } while (after !== undefined && paged.length < 100);
    } finally {
      booking.clock.aheadMs = 0;
    }
    const gist = ({ total, slices }: OfferDto) => [
      total,
      slices.map(({ segments }) => segments.map((each) => each.departingAt)),
    ];
    expect(paged.map(gist)).toEqual(all.data.map(gist));
    expect(new Set(paged.map(({ id }) => id)).size).toBe(paged.length);
  });

  it.each(['', 'x', '0.0', 'zzzzzzzz.0', 'mmmmmmmm.7', '__proto__'])('refuses a page after %j', async (after) => {
    const { status, body } = await find<Problem>({ after });
    expect([status, body.errors]).toEqual([
      422,
      [expect.objectContaining({ pointer: '/after', code: 'invalid_cursor' })],
    ]);
  });

  it('finds offers with all that a traveller decides by, cheapest first', async () => {
    const { status, body } = await find<Found>({ adults: '2', children: '1', infants: '1', currency: 'GBP' });
    expect(status).toBe(200);
    const [offer] = body.data;
    expect(offer).toMatchObject({ cabin: 'economy', price: { total: offer?.total } });
    expect(offer?.passengers.map((passenger) => passenger.type)).toEqual(['adult', 'adult', 'child', 'infant']);
    expect(offer?.slices[0]?.segments[0]?.departingAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:00[+-]\d\d:\d\d$/);
    expect(offer?.slices[0]?.segments[0]?.baggage.map((allowance) => allowance.passengerType)).toEqual([
      'adult',
      'child',
      'infant',
    ]);
    const left = Date.parse(offer?.expiresAt ?? '') - Date.now();
    expect(left).toBeGreaterThan(29 * 60_000);
    expect(left).toBeLessThanOrEqual(35 * 60_000);
    const totals = body.data.map((each) => Number(each.total.amount));
    expect(totals).toEqual([...totals].sort((one, other) => one - other));
    expect(new Set(body.data.map((each) => each.fareBrand))).toEqual(new Set(['light', 'classic', 'flex']));
  });

  it('gives the same answer to the same search', async () => {
    // At the edge of two five-minute windows a second try is in one.
    await eventually(async () => expect((await find()).body).toEqual((await find()).body));
  });

  it('selects an offer by its id: the same, priced again', async () => {
    for (const offer of (await find<Found>({ returnDate: booking.dayIn(50) })).body.data) {
      const answer = await booking.call<{ data: OfferDto }>(`/api/offers/${offer.id}`);
      expect([answer.status, answer.body.data]).toEqual([200, offer]);
    }
  });

  it('knows no offers that it did not make, and none for ever', async () => {
    const [offer] = (await find<Found>()).body.data;
    const id = offer?.id ?? '';
    for (const wrong of ['off_AAAA', `${id.slice(0, -4)}AAAA`, 'x']) {
      expect(await booking.call(`/api/offers/${wrong}`)).toMatchObject({
        status: 404,
        body: { code: 'offer_not_found' },
      });
    }
    booking.clock.aheadMs = 36 * 60_000;
    try {
      expect(await booking.call(`/api/offers/${id}`)).toMatchObject({
        status: 409,
        body: { code: 'offer_no_longer_available' },
      });
    } finally {
      booking.clock.aheadMs = 0;
    }
  });

  it.each([
    [
      'whose price is another by now',
      'price_changed',
      (sealed: SealedOffer) => ({ ...sealed, totalMinor: sealed.totalMinor - 1n }),
    ],
    [
      'whose flight is no longer in the timetable',
      'offer_no_longer_available',
      ({ selection, totalMinor }: SealedOffer) => ({
        totalMinor,
        selection: {
          ...selection,
          slices: selection.slices.map((flights) => flights.map((key) => ({ ...key, frequency: 99 }))),
        },
      }),
    ],
  ])('does not sell an offer %s', async (_what, code, change) => {
    const key = await new SecretKeys({ secret: () => Promise.resolve(SECRET) }).key('offer');
    const body = await booking.bodyFor(EXAMPLES[0]!);
    const sealed = openOffer(body.offerId, key);
    if (!sealed) throw new Error('not sealed with this secret');
    const offerId = sealOffer(change(sealed), key);
    expect(await booking.call(`/api/offers/${offerId}`)).toMatchObject({ status: 409, body: { code } });
    const refused = await booking.post<{ code: string; offer?: OfferDto }>({ ...body, offerId });
    expect([refused.status, refused.body.code]).toEqual([409, code]);
    if (code !== 'price_changed') return;
    const again = refused.body.offer;
    expect(again?.total.amount).not.toBe('');
    expect((await booking.post({ ...body, offerId: again?.id })).status).toBe(201);
  });

  it('is empty where nothing flies, which is no error', async () => {
    expect(await find({ origin: 'MVD', destination: 'TLL' })).toMatchObject({ status: 200, body: { data: [] } });
  });

  it('takes codes in small letters, and today as a date', async () => {
    // Where the flight leaves it may be tomorrow already.
    const departureDate = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Madrid' }).format(booking.clock.now());
    expect(await find({ origin: 'mad', destination: 'lhr', departureDate })).toMatchObject({ status: 200 });
  });

  it.each([
    ['/colour', 'unknown_field', { colour: 'red' }],
    ['/origin', 'unknown_airport', { origin: 'XXX' }],
    ['/origin', 'invalid_format', { origin: 'Madrid' }],
    ['/destination', 'same_airport', { destination: 'MAD' }],
    ['/departureDate', 'invalid_date', { departureDate: '2027-02-30' }],
    ['/departureDate', 'invalid_date', { departureDate: 'tomorrow' }],
    ['/departureDate', 'in_the_past', { departureDate: '2020-01-01' }],
    ['/departureDate', 'too_far_ahead', { departureDate: '2090-01-01' }],
    ['/returnDate', 'before_departure', { returnDate: '2026-01-01' }],
    ['/returnDate', 'too_far_ahead', { returnDate: '2090-01-01' }],
    ['/adults', 'out_of_range', { adults: '0' }],
    ['/adults', 'wrong_type', { adults: '-1' }],
    ['/adults', 'wrong_type', { adults: '1.5' }],
    ['/adults', 'wrong_type', { adults: '' }],
    ['/adults', 'too_many_seats', { adults: '10' }],
    ['/children', 'too_many_seats', { adults: '5', children: '5' }],
    ['/infants', 'too_many_infants', { adults: '1', infants: '2' }],
    ['/cabin', 'unknown_value', { cabin: 'cargo' }],
    ['/currency', 'unknown_currency', { currency: 'XAU' }],
    ['/currency', 'unknown_currency', { currency: 'ZZZ' }],
    ['/currency', 'unknown_currency', { currency: 'euro' }],
  ])('names %s: %s %j', async (pointer, code, change) => {
    const answer = await find<Problem>(change);
    expect([answer.status, answer.body.code]).toEqual([422, 'validation_error']);
    expect(answer.body.errors).toMatchObject([{ pointer, code }]);
  });

  it('names every parameter that is missing or given twice', async () => {
    const missing = await booking.call<Problem>('/api/offers');
    expect(missing.body.errors.map(({ pointer, code }) => [pointer, code])).toEqual([
      ['/origin', 'required'],
      ['/destination', 'required'],
      ['/departureDate', 'required'],
    ]);
    const twice = await booking.call<Problem>(
      `/api/offers?origin=MAD&origin=BCN&destination=LHR&departureDate=${booking.dayIn(9)}`,
    );
    expect(twice.body.errors).toMatchObject([{ pointer: '/origin' }]);
  });
});
