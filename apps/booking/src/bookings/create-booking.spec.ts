import { randomUUID } from 'node:crypto';
import { EticketConfirmedEvent, QUEUES } from '@eticket/contracts';
import { eventually } from '@eticket/service/testing';
import { Ackline, readJson, type Message } from 'ackline';
import { postgresDriver } from 'ackline/postgres';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { EXAMPLES, TestBooking, type BookingBody, type BookingExample } from '../testing/test-booking.js';
import type { CreatedBookingDto } from './booking.dto.js';

interface Created {
  readonly data: CreatedBookingDto;
}
interface Problem {
  readonly status: number;
  readonly code: string;
  readonly requestId: string;
  readonly errors?: readonly { readonly pointer: string; readonly code: string; readonly message: string }[];
  readonly declineCode?: string;
}

const example = (name: string): BookingExample => {
  const found = EXAMPLES.find((each) => each.name === name);
  if (!found) throw new Error(`no example ${name}`);
  return found;
};
const SINGLE = example('one adult, one way');
const FAMILY = example('family with an infant, return');

describe('POST /api/bookings', () => {
  let booking: TestBooking;
  beforeAll(async () => {
    booking = await TestBooking.start();
    await eventually(async () => (await booking.call('/health/ready')).status === 200);
  });
  afterAll(() => booking.stop());

  /** Every message of the queue so far, by booking. */
  async function messages(): Promise<ReadonlyMap<string, readonly Message[]>> {
    const ackline = new Ackline({ driver: postgresDriver({ connectionString: booking.database.connectionString }) });
    const found = new Map<string, Message[]>();
    const consumer = ackline.consume(
      { queue: QUEUES.eticketConfirmed, group: `spec-${randomUUID()}` },
      ({ message }) => {
        found.set(message.key ?? '', [...(found.get(message.key ?? '') ?? []), message]);
      },
    );
    const { bookings } = await booking.storedRows();
    await eventually(() => found.size >= (bookings ?? 0));
    await consumer.close();
    await ackline.close();
    return found;
  }

  describe.each(EXAMPLES.filter(({ expect: expected }) => expected === undefined))('of “$name”', (entry) => {
    let body: BookingBody;
    let created: CreatedBookingDto;

    it('answers 201 with where it is, and what was booked', async () => {
      body = await booking.bodyFor(entry);
      const answer = await booking.post<Created>(body);
      expect(answer.status).toBe(201);
      created = answer.body.data;
      expect(answer.headers.get('location')).toBe(`/api/bookings/${created.id}`);
      expect(created).toMatchObject({ status: 'ticketed', mail: { status: 'queued' } });
      expect(created.reference).toMatch(/^[2-9A-HJ-NP-Z]{6}$/);
      const [offer] = await booking.search(entry.search);
      expect(created.total).toEqual(offer?.total);
      expect(created.segments).toHaveLength(offer?.slices.flatMap((slice) => slice.segments).length ?? 0);
      created.passengers.forEach((passenger, index) => {
        const { givenName, familyName, type } = entry.passengers[index] ?? {};
        expect(passenger).toMatchObject({ givenName, familyName, type });
        expect(passenger.ticketNumber).toMatch(/^\d{3}99\d{8}$/);
        expect(passenger.ticketName).toMatch(/^[A-Z]+\/[A-Z]+ [A-Z]+$/);
      });
      expect(new Set(created.passengers.map((passenger) => passenger.ticketNumber)).size).toBe(entry.passengers.length);
    });

    it('shows the same to whoever has its token, and to nobody else', async () => {
      const show = (id: string, headers: Record<string, string>) =>
        booking.call<Created>(`/api/bookings/${id}`, { headers });
      const answer = await show(created.id, { authorization: `Bearer ${created.accessToken}` });
      const { accessToken, confirmationUrl, ...shown } = created;
      expect([answer.status, answer.body.data]).toEqual([200, shown]);
      expect(confirmationUrl).toContain(created.id);
      expect(await show(created.id, {})).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
      expect(await show(created.id, { authorization: `Basic ${accessToken}` })).toMatchObject({ status: 401 });
      for (const [id, token] of [
        [created.id, `${accessToken.slice(0, -2)}xx`],
        [created.id, 'bat_'],
        [randomUUID(), accessToken],
        ['no-uuid', accessToken],
      ] as const) {
        expect(await show(id, { authorization: `Bearer ${token}` })).toMatchObject({
          status: 404,
          body: { code: 'booking_not_found' },
        });
      }
    });

    it('has queued one event with all that the mail shows, equal to the booking', async () => {
      const found = (await messages()).get(created.id) ?? [];
      expect(found).toHaveLength(1);
      const [message] = found as [Message];
      const event = readJson(message) as EticketConfirmedEvent;
      expect(validateSync(plainToInstance(EticketConfirmedEvent, event), { forbidUnknownValues: true })).toEqual([]);
      expect(message.headers).toMatchObject({ 'message-id': event.eventId, type: 'eticket-confirmed', version: '1' });
      expect([message.id, event.version, event.type]).toEqual([event.eventId, 1, 'eticket-confirmed']);
      const {
        accessToken: _token,
        confirmationUrl: _url,
        mail: _mail,
        total,
        status: _status,
        version,
        ...facts
      } = created;
      expect(event.booking).toMatchObject(facts);
      expect([event.booking.price.total, event.version]).toEqual([total, version]);
      expect(event.booking.issuedBy.iataNumber).toMatch(/^\d{8}$/);
      expect(new URL(event.booking.manageUrl).pathname).toBe(`/bookings/${created.id}`);
      expect(JSON.stringify(event)).not.toMatch(/tok_|bornOn|bat_/);
    });
  });

  it('issues infants a ticket of their own, and says on whose lap they travel', async () => {
    const { body } = await booking.post<Created>(await booking.bodyFor(FAMILY));
    expect(body.data.passengers[3]).toMatchObject({ type: 'infant', infantOf: 1, ticketName: 'PUIG/POL MSTR' });
  });

  it('writes the domain of an address in lower case and a phone number in E.164', async () => {
    const body = await booking.bodyFor(SINGLE);
    body.contact = { email: 'A+tag@X.Test', phone: '+34 911 23 45 67' };
    const answer = await booking.post<Created>(body);
    expect(answer.body.data.contact).toEqual({ email: 'A+tag@x.test', phone: '+34911234567' });
  });

  it('passes the trace of the request on with the event', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const { body } = await booking.post<Created>(await booking.bodyFor(SINGLE), { traceparent });
    expect((await messages()).get(body.data.id)?.[0]?.headers.traceparent).toBe(traceparent);
    const line = booking.logLines.find((one) => one.includes('event recorded') && one.includes(body.data.id));
    expect(JSON.parse(line ?? '{}')).toMatchObject({ traceId: '0af7651916cd43dd8448eb211c80319c' });
  });

  describe('refuses', () => {
    let good: BookingBody;
    let family: BookingBody;
    let before: Readonly<Record<string, number>>;
    beforeAll(async () => {
      [good, family] = [await booking.bodyFor(SINGLE), await booking.bodyFor(FAMILY)];
      before = await booking.storedRows();
    });
    // The promise of all of these: nothing is stored.
    afterAll(async () => expect(await booking.storedRows()).toEqual(before));

    const changed = (from: BookingBody, change: (body: BookingBody) => void): BookingBody => {
      const body = structuredClone(from);
      change(body);
      return body;
    };
    async function expectFields(
      body: unknown,
      ...fields: readonly (readonly [pointer: string, code: string])[]
    ): Promise<void> {
      const answer = await booking.post<Problem>(body);
      expect([answer.status, answer.body.code]).toEqual([422, 'validation_error']);
      expect(answer.headers.get('content-type')).toBe('application/problem+json');
      const found = (answer.body.errors ?? []).map(({ pointer, code }) => [pointer, code]);
      expect(found.sort()).toEqual([...fields].map((field) => [...field]).sort());
    }

    it('a request without an Idempotency-Key', async () => {
      const answer = await booking.call<Problem>('/api/bookings', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(good),
      });
      expect(answer).toMatchObject({ status: 400, body: { code: 'idempotency_key_missing' } });
      expect(answer.body.requestId).toBe(answer.headers.get('x-request-id'));
    });

    it.each(['', '{', '{"a":}', '{"__proto__":{}}', 'null,', '\u0000'])(
      'the body %j, which is no JSON',
      async (text) => {
        expect(await booking.post(text)).toMatchObject({ status: 400, body: { code: 'unreadable_json' } });
      },
    );

    it.each([
      'text/plain',
      'application/xml',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonp',
      'application/json; charset=iso-8859-1',
      'application/json; charset=utf-16',
    ])('a body of type %s', async (type) => {
      const answer = await booking.post(good, { 'content-type': type });
      expect(answer).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
    });

    it('a body that says it is compressed', async () => {
      const answer = await booking.post(good, { 'content-encoding': 'gzip' });
      expect(answer).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
    });

    it('a body of more than 64 KiB', async () => {
      const answer = await booking.post({ ...good, filling: 'x'.repeat(66_000) });
      expect(answer).toMatchObject({ status: 413, body: { code: 'payload_too_large' } });
    });

    it.each([[[]], ['"text"'], ['1'], ['null'], ['true']])('the JSON %j, which is no object', async (text) => {
      await expectFields(text, ['', 'wrong_type']);
    });

    it('an empty object, naming every field that is missing', async () => {
      await expectFields(
        {},
        ...['/offerId', '/passengers', '/contact', '/payment'].map((pointer) => [pointer, 'required'] as const),
      );
    });

    it('fields that it does not know, wherever they stand', async () => {
      const body = changed(good, (each) => {
        each.discount = 100;
        each.passengers[0]!.passport = 'X1234567';
        each.contact['e/mail'] = 'x';
        each.payment.cardNumber = '4242424242424242';
      });
      await expectFields(
        body,
        ['/discount', 'unknown_field'],
        ['/passengers/0/passport', 'unknown_field'],
        ['/contact/e~1mail', 'unknown_field'],
        ['/payment/cardNumber', 'unknown_field'],
      );
    });

    it.each([
      ['/passengers/0/type', 'unknown_value', { type: 'senior' }],
      ['/passengers/0/title', 'unknown_value', { title: 'ms\r\nBcc: x' }],
      ['/passengers/0/title', 'required', { title: undefined }],
      ['/passengers/0/givenName', 'invalid_name', { givenName: 'Ana\nBcc: evil@x.test' }],
      ['/passengers/0/givenName', 'invalid_name', { givenName: 'Ana\u2028x' }],
      ['/passengers/0/familyName', 'invalid_name', { familyName: 'Ana\u0085x' }],
      ['/passengers/0/familyName', 'invalid_name', { familyName: '\u202Eevil' }],
      ['/passengers/0/familyName', 'invalid_name', { familyName: '佐藤' }],
      ['/passengers/0/familyName', 'invalid_name', { familyName: { $ne: 1 } }],
      ['/passengers/0/bornOn', 'invalid_date', { bornOn: '1988-02-30' }],
      ['/passengers/0/bornOn', 'invalid_date', { bornOn: '17.04.1988' }],
      ['/passengers/0/bornOn', 'invalid_date', { bornOn: 19880417 }],
      ['/passengers/0/bornOn', 'in_the_future', { bornOn: '2099-01-01' }],
      ['/passengers/0/bornOn', 'too_long_ago', { bornOn: '1850-01-01' }],
      ['/passengers/0/infantOf', 'not_an_infant', { infantOf: 0 }],
      ['/passengers/0/infantOf', 'wrong_type', { infantOf: '0' }],
      ['/passengers/0/infantOf', 'wrong_type', { infantOf: null }],
    ])('a passenger by %s: %s %j', async (pointer, code, change) => {
      await expectFields(
        changed(good, (body) => Object.assign(body.passengers[0]!, change)),
        [pointer, code],
      );
    });

    it.each([
      ['"x@evil.test y"@internal.test'],
      ['a@x.test, b@evil.test'],
      ['a@x.test;b@evil.test'],
      ['Foo <a@x.test>'],
      ['a@x.test\r\nBcc: b@evil.test'],
      ['a@x.test\0'],
      [`${'a'.repeat(60)}@${`${'b'.repeat(60)}.`.repeat(3)}${'c'.repeat(11)}`],
      ['a..b@x.test'],
      ['zoë@example.ie'],
      [['a@x.test', 'b@x.test']],
    ])('the address %j', async (email) => {
      await expectFields(
        changed(good, (body) => void (body.contact.email = email)),
        ['/contact/email', 'invalid_email'],
      );
    });

    it.each([
      ['/contact/phone', 'invalid_phone', (body: BookingBody) => void (body.contact.phone = '911234567')],
      ['/contact', 'wrong_type', (body: BookingBody) => void (body.contact = [] as never)],
      ['/locale', 'invalid_locale', (body: BookingBody) => void (body.locale = 'es_ES')],
      ['/locale', 'invalid_locale', (body: BookingBody) => void (body.locale = null)],
      ['/passengers', 'wrong_type', (body: BookingBody) => void (body.passengers = {} as never)],
      ['/passengers', 'too_few', (body: BookingBody) => void (body.passengers = [])],
      ['/passengers', 'wrong_type', (body: BookingBody) => void (body.passengers = [null] as never)],
      ['/passengers', 'wrong_type', (body: BookingBody) => void (body.passengers = [[]] as never)],
      ['/passengers', 'wrong_type', (body: BookingBody) => void (body.passengers = ['x'] as never)],
      [
        '/payment/token',
        'invalid_payment_token',
        (body: BookingBody) => void (body.payment.token = '4242424242424242'),
      ],
      ['/payment/token', 'invalid_payment_token', (body: BookingBody) => void (body.payment.token = 'tok_unheardOf')],
      ['/offerId', 'wrong_type', (body: BookingBody) => void (body.offerId = 7 as never)],
    ])('%s: %s', async (pointer, code, change) => {
      await expectFields(changed(good, change), [pointer, code]);
    });

    it('more, fewer or other passengers than the offer is for', async () => {
      const one = good.passengers[0]!;
      await expectFields(
        changed(good, (body) => void body.passengers.push({ ...one })),
        ['/passengers', 'passenger_count_mismatch'],
      );
      await expectFields(
        changed(family, (body) => void body.passengers.splice(2, 1)),
        ['/passengers', 'passenger_count_mismatch'],
      );
    });

    it('passengers whose age on any flight is not that of their kind', async () => {
      const [departure, back] = [booking.dayIn(80), booking.dayIn(94)];
      const years = (date: string, less: number) => `${Number(date.slice(0, 4)) - less}${date.slice(4)}`;
      // Two years old between the flights: an infant on the way out, a child on the way back.
      const turnsTwo = changed(family, (body) => void (body.passengers[3]!.bornOn = years(back, 2)));
      await expectFields(turnsTwo, ['/passengers/3/bornOn', 'wrong_age']);
      const turnsTwelve = changed(family, (body) => void (body.passengers[2]!.bornOn = years(back, 12)));
      await expectFields(turnsTwelve, ['/passengers/2/bornOn', 'wrong_age']);
      const notBornYet = changed(family, (body) => void (body.passengers[3]!.bornOn = departure));
      await expectFields(notBornYet, ['/passengers/3/bornOn', 'in_the_future']);
      const adultAtEleven = changed(family, (body) => void (body.passengers[0]!.bornOn = years(departure, 11)));
      await expectFields(adultAtEleven, ['/passengers/0/bornOn', 'wrong_age']);
    });

    it('infants without an adult', async () => {
      const lap = (infantOf: unknown) => changed(family, (body) => void (body.passengers[3]!.infantOf = infantOf));
      await expectFields(lap(undefined), ['/passengers/3/infantOf', 'required']);
      await expectFields(lap(2), ['/passengers/3/infantOf', 'no_such_adult']);
      await expectFields(lap(3), ['/passengers/3/infantOf', 'no_such_adult']);
      await expectFields(lap(9), ['/passengers/3/infantOf', 'no_such_adult']);
    });

    it('two infants on one lap', async () => {
      const body = await booking.bodyFor({
        ...FAMILY,
        search: { ...FAMILY.search, infants: 2 },
        passengers: [...FAMILY.passengers, { ...FAMILY.passengers[3] }],
      });
      await expectFields(body, ['/passengers/4/infantOf', 'adult_taken']);
    });

    it.each(['off_AAAA', 'nonsense', ''])('the offer %j, which nobody made', async (offerId) => {
      const answer = await booking.post<Problem>({ ...good, offerId });
      expect(answer).toMatchObject({ status: 409, body: { code: 'offer_no_longer_available' } });
      expect(answer.body.errors?.[0]?.pointer).toBe('/offerId');
    });

    it('an expired offer', async () => {
      booking.clock.aheadMs = 36 * 60_000;
      try {
        expect(await booking.post(good)).toMatchObject({ status: 409, body: { code: 'offer_no_longer_available' } });
      } finally {
        booking.clock.aheadMs = 0;
      }
    });

    it.each([
      ['tok_chargeDeclined', 'card_declined'],
      ['tok_insufficientFunds', 'insufficient_funds'],
      ['tok_expiredCard', 'expired_card'],
    ])('the card behind %s: %s', async (token, declineCode) => {
      const answer = await booking.post<Problem>({ ...good, payment: { token } });
      expect(answer).toMatchObject({ status: 402, body: { code: 'payment_declined', declineCode } });
    });

    it('a payment whose outcome is not known, and gives its money free', async () => {
      const voided = booking.gateway.count('voided');
      const answer = await booking.post<Problem>({ ...good, payment: { token: 'tok_timeout' } });
      expect(answer).toMatchObject({ status: 503, body: { code: 'payment_unavailable' } });
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(booking.gateway.count('voided')).toBe(voided + 1);
      expect(booking.gateway.count('authorised')).toBe(0);
    });
  });

  it('refuses a body nested thirty thousand levels deep, also with a key that was used', async () => {
    const deep = `{"payment":${'['.repeat(30_000)}${']'.repeat(30_000)}}`;
    const key = randomUUID();
    const refused = async () => {
      const { status, body } = await booking.post<Problem>(deep, { 'idempotency-key': key });
      expect([status, body.errors]).toEqual([422, [expect.objectContaining({ pointer: '', code: 'too_deep' })]]);
    };
    await refused();
    expect(await booking.post(await booking.bodyFor(SINGLE), { 'idempotency-key': key })).toMatchObject({
      status: 201,
    });
    await refused();
  });

  it('gets another reference where its first ones are taken, and stores nothing twice', async () => {
    const { body: first } = await booking.post<Created>(await booking.bodyFor(SINGLE));
    const { pool } = booking.database;
    // The next two bookings that are stored draw the reference of the first.
    await pool.query(`create sequence booking.spec_draws`);
    await pool.query(`create function booking.spec_draw() returns trigger language plpgsql as $$ begin
      if nextval('booking.spec_draws') <= 2 then new.reference := '${first.data.reference}'; end if;
      return new; end $$`);
    await pool.query(`create trigger spec_draw before insert on booking.bookings
      for each row execute function booking.spec_draw()`);
    try {
      const before = await booking.storedRows();
      const { status, body: second } = await booking.post<Created>(await booking.bodyFor(SINGLE));
      expect(status).toBe(201);
      expect(second.data.reference).not.toBe(first.data.reference);
      const { rows } = await pool.query('select reference from booking.bookings where id = $1', [second.data.id]);
      expect(rows).toEqual([{ reference: second.data.reference }]);
      const after = await booking.storedRows();
      for (const table of ['bookings', 'passengers', 'tickets', 'payments']) {
        expect([table, (after[table] ?? 0) - (before[table] ?? 0)]).toEqual([table, 1]);
      }
      expect((await messages()).get(second.data.id)).toHaveLength(1);
    } finally {
      await pool.query('drop function booking.spec_draw cascade; drop sequence booking.spec_draws');
    }
  });

  it('charges each booking once, and nothing without a booking', async () => {
    const { rows } = await booking.database.pool.query<{ state: string; count: string }>(
      'select state, count(*) from booking.payments group by state',
    );
    expect(rows).toEqual([{ state: 'captured', count: String(booking.gateway.count('captured')) }]);
    expect(booking.gateway.count('authorised')).toBe(0);
  });

  it('leaves no personal data and no token in its logs', () => {
    const log = booking.logLines.join('');
    for (const entry of EXAMPLES) {
      const personal = [
        entry.contact.email,
        entry.contact.phone,
        ...entry.passengers.flatMap(({ familyName, bornOn }) => [familyName, bornOn]),
      ];
      for (const value of personal) {
        if (typeof value === 'string' && value.length > 4) expect(log).not.toContain(value);
      }
    }
    expect(log).not.toMatch(/tok_|bat_|evil\.test/);
  });
});
