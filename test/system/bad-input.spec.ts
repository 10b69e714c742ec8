import { randomUUID } from 'node:crypto';
import { testDatabase, type TestDatabase } from '@eticket/service/testing';
import { sampleBookings, type SampleBooking } from '@eticket/standalone/sample-bookings';
import { PersonalData } from './support/personal-data.js';
import { Services } from './support/services.js';
import { Traveller, type BookingBody } from './support/traveller.js';

type Passenger = Record<string, unknown>;

/** A body whose parts a case may change. */
interface Changeable extends BookingBody {
  offerId: unknown;
  passengers: Passenger[];
  contact: Record<string, unknown>;
  payment: Record<string, unknown>;
}

/** Of the address of every mail a booking could cause beside its own. */
const STRANGER = 'evil.test';
/** An offer lasts for 30 to 35 minutes. */
const LONG_AGO_MS = 40 * 60_000;

describe('Bad input, posted to the booking service', () => {
  const services = new Services();
  const personal = new PersonalData();
  let database: TestDatabase;
  let traveller: Traveller;
  let single: Changeable;
  let family: Changeable;
  let expiredOfferId: string;
  let before: Readonly<Record<string, number>>;

  beforeAll(async () => {
    database = await testDatabase();
    const env = { DATABASE_URL: database.connectionString };
    const { url } = await services.startReady('booking', env);
    traveller = new Traveller(url, personal);
    const [one, four] = (await sampleBookings()) as [SampleBooking, SampleBooking];
    single = await bodyOf(one);
    family = await bodyOf(four);

    // The same service with a clock that is slow: what it offers now has long expired.
    const slowClock = await services.startReady('booking', {
      ...env,
      NODE_OPTIONS: `--import=${clockBehind(LONG_AGO_MS)}`,
    });
    expiredOfferId = (await new Traveller(slowClock.url, personal).cheapestOffer(one.search)).id;
  }, 60_000);
  afterAll(async () => {
    await services.killAll();
    await database?.drop();
  }, 30_000);
  // The promise of every case.
  beforeEach(async () => void (before = await stored()));
  afterEach(async () => expect(await stored()).toEqual(before));

  async function bodyOf(sample: SampleBooking): Promise<Changeable> {
    const { id } = await traveller.cheapestOffer(sample.search);
    return structuredClone(sample.body(id)) as Changeable;
  }

  async function stored(): Promise<Readonly<Record<string, number>>> {
    const { rows } = await database.pool.query<Record<string, number>>(
      `select (select count(*)::int from booking.bookings) as bookings, (select count(*)::int from booking.tickets) as tickets,
              (select count(*)::int from booking.payments) as payments, (select count(*)::int from ackline.message) as events`,
    );
    return rows[0] ?? {};
  }

  const changed = (from: Changeable, change: (body: Changeable) => void): Changeable => {
    const body = structuredClone(from);
    change(body);
    return body;
  };
  const passenger = (from: Changeable, index: number, change: Passenger) =>
    changed(from, ({ passengers }) => void (passengers[index] = { ...passengers[index], ...change }));

  it.each<readonly [what: string, headers: Record<string, string | undefined>, status: number, code: string]>([
    ['no Idempotency-Key', { 'idempotency-key': undefined }, 400, 'idempotency_key_missing'],
    ['an empty Idempotency-Key', { 'idempotency-key': '' }, 400, 'idempotency_key_missing'],
    ['an Idempotency-Key without end', { 'idempotency-key': 'k'.repeat(256) }, 400, 'idempotency_key_missing'],
    ['text', { 'content-type': 'text/plain' }, 415, 'unsupported_media_type'],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 415, 'unsupported_media_type'],
  ])('a request with %s is refused', async (_what, headers, status, code) => {
    const answer = await traveller.post(single, headers);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
  });

  it.each<readonly [what: string, body: () => string, status: number, code: string]>([
    ['no JSON at all', () => '{"offerId": ', 400, 'unreadable_json'],
    ['nothing', () => '', 400, 'unreadable_json'],
    ['more than 64 KiB', () => JSON.stringify({ ...single, filling: 'x'.repeat(66_000) }), 413, 'payload_too_large'],
  ])('a body of %s is refused', async (_what, body, status, code) => {
    const answer = await traveller.post(body());
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  it.each<readonly [what: string, pointer: string, code: string, body: () => Changeable]>([
    ['an unknown field', '/discount', 'unknown_field', () => ({ ...single, discount: 100 })],
    [
      'an unknown field deep inside',
      '/passengers/0/passport',
      'unknown_field',
      () => passenger(single, 0, { passport: 'X1' }),
    ],
    ['February 30', '/passengers/0/bornOn', 'invalid_date', () => passenger(single, 0, { bornOn: '1988-02-30' })],
    [
      'a birthday to come',
      '/passengers/0/bornOn',
      'in_the_future',
      () => passenger(single, 0, { bornOn: '2099-01-01' }),
    ],
    [
      'one passenger too many',
      '/passengers',
      'passenger_count_mismatch',
      () => changed(single, ({ passengers }) => void passengers.push({ ...passengers[0] })),
    ],
    [
      'one passenger too few',
      '/passengers',
      'passenger_count_mismatch',
      () => changed(family, ({ passengers }) => void passengers.splice(2, 1)),
    ],
    [
      'an adult of three years',
      '/passengers/0/bornOn',
      'wrong_age',
      () => passenger(family, 0, { bornOn: yearsBefore(3) }),
    ],
    [
      'a child of thirty years',
      '/passengers/2/bornOn',
      'wrong_age',
      () => passenger(family, 2, { bornOn: yearsBefore(30) }),
    ],
    [
      'an infant who is two on the way back',
      '/passengers/3/bornOn',
      'wrong_age',
      () => passenger(family, 3, { bornOn: dayBetweenFlights(2) }),
    ],
    [
      'an infant on nobody’s lap',
      '/passengers/3/infantOf',
      'required',
      () => passenger(family, 3, { infantOf: undefined }),
    ],
    [
      'an infant on a child’s lap',
      '/passengers/3/infantOf',
      'no_such_adult',
      () => passenger(family, 3, { infantOf: 2 }),
    ],
    [
      'a line break in a name (P14)',
      '/passengers/0/givenName',
      'invalid_name',
      () => passenger(single, 0, { givenName: `Ana\r\nBcc: x@${STRANGER}` }),
    ],
    [
      'a U+2028 in a name (P14)',
      '/passengers/0/familyName',
      'invalid_name',
      () => passenger(single, 0, { familyName: 'Ana\u2028Ana' }),
    ],
    [
      'a U+0085 in a name (P14)',
      '/passengers/0/familyName',
      'invalid_name',
      () => passenger(single, 0, { familyName: 'Ana\u0085Ana' }),
    ],
    ['a NUL in a name', '/passengers/0/givenName', 'invalid_name', () => passenger(single, 0, { givenName: 'Ana\0' })],
    [
      'a direction override in a name',
      '/passengers/0/givenName',
      'invalid_name',
      () => passenger(single, 0, { givenName: '\u202eanA' }),
    ],
    [
      'a line break in a title (P14)',
      '/passengers/0/title',
      'unknown_value',
      () => passenger(single, 0, { title: 'ms\r\nBcc: x' }),
    ],
    ...[
      `"x@${STRANGER} y"@internal.test`,
      `a@x.test, b@${STRANGER}`,
      `a@x.test;b@${STRANGER}`,
      'Foo <a@x.test>',
      `a@x.test\r\nBcc: b@${STRANGER}`,
      'a@x.test\0',
      `${'a'.repeat(64)}@${`${'b'.repeat(61)}.`.repeat(3)}test`,
      'a..b@x.test',
    ].map(
      (email) =>
        [
          `the address ${JSON.stringify(email).slice(0, 40)} (P13)`,
          '/contact/email',
          'invalid_email',
          () => changed(single, ({ contact }) => void (contact.email = email)),
        ] as const,
    ),
    [
      'a card number',
      '/payment/token',
      'invalid_payment_token',
      () => changed(single, ({ payment }) => void (payment.token = '4242424242424242')),
    ],
  ])('%s is refused with 422, and %s named: %s', async (_what, pointer, code, body) => {
    const answer = await traveller.post(body());
    expect([answer.status, answer.body.code]).toEqual([422, 'validation_error']);
    expect(answer.body.errors).toEqual([expect.objectContaining({ pointer, code })]);
  });

  it('an offer that nobody made, and one that has expired, is no longer available', async () => {
    for (const offerId of ['off_AAAA', expiredOfferId]) {
      const answer = await traveller.post({ ...single, offerId });
      expect([answer.status, answer.body.code]).toEqual([409, 'offer_no_longer_available']);
      expect(answer.body.errors?.[0]?.pointer).toBe('/offerId');
    }
  });

  it.each(['tok_chargeDeclined', 'tok_insufficientFunds', 'tok_expiredCard'])(
    'the card of %s is declined',
    async (token) => {
      const answer = await traveller.post({ ...single, payment: { token } });
      expect([answer.status, answer.body.code]).toEqual([402, 'payment_declined']);
    },
  );

  it('no log holds anything of what was refused', () => {
    const logs = services.logs();
    expect(logs).toContain('booking is up');
    expect(personal.foundIn(logs)).toEqual([]);
    expect(logs).not.toContain(STRANGER);
  });
});

describe('A booking that is there', () => {
  const services = new Services();
  const personal = new PersonalData();
  let database: TestDatabase;
  let traveller: Traveller;
  let body: BookingBody;

  beforeAll(async () => {
    database = await testDatabase();
    const { url } = await services.startReady('booking', { DATABASE_URL: database.connectionString });
    traveller = new Traveller(url, personal);
    const [sample] = (await sampleBookings()) as [SampleBooking];
    body = sample.body((await traveller.cheapestOffer(sample.search)).id);
  }, 60_000);
  afterAll(async () => {
    await services.killAll();
    await database?.drop();
  }, 30_000);

  it('opens with its own token alone; an unknown one looks the same as one that is not yours', async () => {
    const [mine, other] = [await traveller.book(body), await traveller.book(body)];
    expect((await traveller.show(mine, mine.accessToken)).status).toBe(200);
    for (const [id, token] of [
      [mine.id, other.accessToken],
      [mine.id, `${mine.accessToken.slice(0, -2)}xx`],
      [randomUUID(), mine.accessToken],
      ['no-uuid', mine.accessToken],
    ] as const) {
      const answer = await traveller.show({ id }, token);
      expect([answer.status, answer.body.code]).toEqual([404, 'booking_not_found']);
    }
    expect(await traveller.show(mine, '')).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
  });

  it('keeps its Idempotency-Key for itself: with another request it is refused, and nothing is stored', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    expect((await traveller.post(body, headers)).status).toBe(201);
    const count = () => database.pool.query('select id from booking.bookings').then(({ rows }) => rows.length);
    const before = await count();
    const answer = await traveller.post({ ...body, locale: 'en' }, headers);
    expect([answer.status, answer.body.code]).toEqual([422, 'idempotency_key_reused']);
    expect(await count()).toBe(before);
    expect(personal.foundIn(services.logs())).toEqual([]);
  });
});

/** A date that makes somebody so many years old today. */
function yearsBefore(years: number): string {
  const today = new Date().toISOString();
  return `${Number(today.slice(0, 4)) - years}-01-15`;
}

/** The family flies after 80 days and back after 94: a birthday in between. */
function dayBetweenFlights(years: number): string {
  const day = new Date(Date.now() + 87 * 86_400_000);
  day.setUTCFullYear(day.getUTCFullYear() - years);
  return day.toISOString().slice(0, 10);
}

/** A module for Node's `--import` under which a process believes that it is so much earlier. */
function clockBehind(ms: number): string {
  const source = `const now = Date.now.bind(Date); globalThis.Date = class extends Date {
    constructor(...args) { if (args.length > 0) super(...args); else super(now() - ${ms}); }
    static now() { return now() - ${ms}; } };`;
  return `data:text/javascript,${encodeURIComponent(source)}`;
}
