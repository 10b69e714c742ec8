import { randomBytes, randomUUID } from 'node:crypto';
import { createLogger, type RunningService } from '@eticket/service';
import { eventually, testDatabase, type TestDatabase } from '@eticket/service/testing';
import { readPaymentSandboxConfig } from './payment-sandbox-config.js';
import { startPaymentSandbox } from './start-payment-sandbox.js';

const SHOP = 'https://shop.example';
const VISA = { number: '4242 4242 4242 4242', expiry: '04/39', cvc: '123' };

describe('The payment sandbox', () => {
  let database: TestDatabase;
  let sandbox: RunningService;
  const lines: string[] = [];
  beforeAll(async () => {
    database = await testDatabase();
    sandbox = await start();
    await eventually(async () => (await fetch(`${sandbox.url}/health/ready`)).status === 200);
  });
  afterAll(async () => {
    await sandbox.stop();
    await database.drop();
  });

  function start(): Promise<RunningService> {
    const logger = createLogger({
      service: 'payment-sandbox',
      level: 'trace',
      destination: { write: (line) => lines.push(line) },
    });
    const env = {
      DATABASE_URL: database.connectionString,
      PORT: '0',
      MERCHANT_ORIGINS: `${SHOP}/, http://localhost:3000`,
    };
    return startPaymentSandbox(readPaymentSandboxConfig(env), { logger });
  }

  async function call(path: string, body: object, key: string = randomUUID(), signal?: AbortSignal) {
    const response = await fetch(sandbox.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key && { 'idempotency-key': key }) },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  const euros = (amount: string) => ({ amount, currency: 'EUR' });
  const authorise = (token: string, key?: string, amount = '189.90') =>
    call('/authorisations', { token, amount: euros(amount) }, key);
  const newToken = () => `tok_${randomBytes(16).toString('hex')}`;
  const rows = async (table: string) =>
    (await database.pool.query<Record<string, unknown>>(`select * from payment_sandbox.${table}`)).rows;

  async function form(fields: Record<string, string>, headers: Record<string, string> = {}) {
    const init = { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' as const, headers };
    const response = await fetch(`${sandbox.url}/card-form`, init);
    return { status: response.status, location: response.headers.get('location'), html: await response.text() };
  }

  it('takes a card by its form, shows it by its last digits, and keeps nothing else of it', async () => {
    const token = newToken();
    const saved = await form({ card: token, lang: 'es', ...VISA });
    expect([saved.status, saved.location]).toEqual([303, `/card-form?card=${token}&lang=es`]);
    const shown = await (await fetch(sandbox.url + saved.location)).text();
    expect(shown).toContain('Visa terminada en 4242');
    const everything = JSON.stringify([await rows('cards'), await rows('authorisations'), lines]);
    expect(everything).toContain('4242');
    for (const secret of ['42424242', '4242 4242', '04/39']) expect(everything).not.toContain(secret);
    expect(await authorise(token)).toMatchObject({ status: 201, body: { card: { brand: 'visa', last4: '4242' } } });
  });

  it('says at the field what is wrong, keeps what was typed but the code, and stores nothing', async () => {
    const token = newToken();
    const { status, html } = await form({
      card: token,
      lang: 'en',
      ...VISA,
      number: '4242 4242 4242 4241',
      cvc: '987',
    });
    expect(status).toBe(422);
    expect(html).toMatch(/id="number"[^>]*value="4242 4242 4242 4241"[^>]*aria-describedby="number-error"/);
    expect(html).toContain('please check the digits');
    expect(html).not.toContain('987');
    expect(await authorise(token)).toMatchObject({ status: 422, body: { code: 'unknown_token' } });
    expect(JSON.stringify(lines)).not.toContain('4242 4242 4242');
  });

  it('shows its form in the frames of its shops alone', async () => {
    const address = `${sandbox.url}/card-form?card=${newToken()}`;
    const policy = (await fetch(address)).headers.get('content-security-policy');
    expect(policy).toContain(`frame-ancestors ${SHOP} http://localhost:3000`);
    const alone = await form({ card: newToken(), lang: 'en', ...VISA }, { 'sec-fetch-dest': 'document' });
    expect([alone.status, alone.html.includes('it takes no card here')]).toEqual([403, true]);
    expect((await fetch(`${sandbox.url}/card-form?card=tok_guess`)).status).toBe(404);
  });

  it('answers the same key alike, and authorises once, also when both come at once', async () => {
    const [key, before] = [randomUUID(), (await rows('authorisations')).length];
    const answers = await Promise.all(Array.from({ length: 8 }, () => authorise('tok_visa', key)));
    expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(new Set([JSON.stringify(answers[0])]));
    expect(answers[0]?.status).toBe(201);
    expect((await rows('authorisations')).length).toBe(before + 1);
    expect(await authorise('tok_visa', key, '1.00')).toMatchObject({
      status: 409,
      body: { code: 'idempotency_key_reused' },
    });
    expect(await authorise('tok_visa', '')).toMatchObject({ status: 400, body: { code: 'idempotency_key_missing' } });
  });

  it('remembers after a restart', async () => {
    const [key, token] = [randomUUID(), newToken()];
    await form({ card: token, lang: 'en', ...VISA });
    const first = await authorise(token, key);
    await sandbox.stop();
    sandbox = await start();
    expect(await authorise(token, key)).toEqual(first);
    expect((await call(`/authorisations/${String(first.body.id)}/capture`, {})).status).toBe(200);
  });

  it.each([
    ['tok_chargeDeclined', 'card_declined'],
    ['tok_insufficientFunds', 'insufficient_funds'],
    ['tok_expiredCard', 'expired_card'],
  ])('declines %s, again under the same key', async (token, declineCode) => {
    const key = randomUUID();
    const first = await authorise(token, key);
    expect(first).toMatchObject({ status: 402, body: { code: 'payment_declined', declineCode } });
    expect(await authorise(token, key)).toMatchObject({ status: 402, body: { declineCode } });
  });

  it('asks for another card after a refusal, and takes it under the same token', async () => {
    const token = newToken();
    await form({ card: token, lang: 'en', ...VISA, number: '4000000000000002' });
    const [key, address] = [randomUUID(), `${sandbox.url}/card-form?card=${token}`];
    expect(await authorise(token, key)).toMatchObject({ status: 402 });
    expect(await authorise(token, key)).toMatchObject({ status: 402, body: { declineCode: 'card_declined' } });
    expect(await (await fetch(address)).text()).toContain('id="number"');
    await form({ card: token, lang: 'en', ...VISA });
    expect(await authorise(token)).toMatchObject({ status: 201 });
  });

  it('lets a token of the form pay once, and again when that was undone', async () => {
    const [token, first] = [newToken(), randomUUID()];
    await form({ card: token, lang: 'en', ...VISA });
    expect((await authorise(token, first)).status).toBe(201);
    expect(await authorise(token)).toMatchObject({ status: 422, body: { code: 'unknown_token' } });
    expect((await call('/voids', { authorisationKey: first })).status).toBe(200);
    expect((await authorise(token)).status).toBe(201);
  });

  it('authorises without an answer, so that whoever asked can only void by the key', async () => {
    const key = randomUUID();
    const gone = new AbortController();
    const answer = call('/authorisations', { token: 'tok_timeout', amount: euros('5.00') }, key, gone.signal);
    const stateOf = async () => (await rows('authorisations')).find((row) => row.key === key)?.state;
    await eventually(async () => (await stateOf()) === 'authorised');
    gone.abort();
    await expect(answer).rejects.toThrow();
    expect((await call('/voids', { authorisationKey: key })).status).toBe(200);
    expect((await call('/voids', { authorisationKey: key })).status).toBe(200);
    expect(await stateOf()).toBe('voided');
  });

  it('authorises nothing under a key that was voided before it came', async () => {
    const key = randomUUID();
    await call('/voids', { authorisationKey: key });
    expect(await authorise('tok_visa', key)).toMatchObject({ status: 409, body: { code: 'authorisation_voided' } });
  });

  it('gives back what was taken, never more, and once for each key', async () => {
    const id = String((await authorise('tok_mastercard', randomUUID(), '10.00')).body.id);
    const refund = (amount: string, key?: string) =>
      call(`/authorisations/${id}/refunds`, { amount: euros(amount) }, key);
    expect(await refund('1.00')).toMatchObject({ status: 409, body: { code: 'not_refundable' } });
    await call(`/authorisations/${id}/capture`, {});
    expect((await call(`/authorisations/${id}/capture`, {})).status).toBe(200);
    const key = randomUUID();
    expect((await Promise.all([refund('6.00', key), refund('6.00', key)])).map(({ status }) => status)).toEqual([
      201, 201,
    ]);
    expect((await refund('6.00')).status).toBe(409);
    const rest = await Promise.all([refund('3.00'), refund('3.00')]);
    expect(rest.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect((await refund('1.00')).status).toBe(201);
    expect((await call('/authorisations/auth_unknown/capture', {})).status).toBe(409);
  });

  it('cannot void what was taken', async () => {
    const key = randomUUID();
    const { body } = await authorise('tok_amex', key);
    await call(`/authorisations/${String(body.id)}/capture`, {});
    expect(await call('/voids', { authorisationKey: key })).toMatchObject({
      status: 409,
      body: { code: 'not_voidable' },
    });
  });

  /** As if the payments of these keys had been made so long ago. */
  const age = (keys: readonly string[], interval: string) =>
    database.pool.query(
      `update payment_sandbox.authorisations set made_at = now() - $2::interval where key = any($1::text[])`,
      [keys, interval],
    );

  it('lets an authorisation expire after seven days, and takes nothing by it then', async () => {
    const [fresh, expired] = [randomUUID(), randomUUID()];
    const ids = [];
    for (const key of [fresh, expired]) ids.push(String((await authorise('tok_visa', key)).body.id));
    await age([fresh], '6 days 23 hours');
    await age([expired], '7 days 1 minute');
    const captures = await Promise.all(ids.map((id) => call(`/authorisations/${id}/capture`, {})));
    expect(captures.map(({ status, body }) => [status, body.code])).toEqual([
      [200, undefined],
      [409, 'not_capturable'],
    ]);
    expect(await authorise('tok_visa', expired)).toMatchObject({
      status: 409,
      body: { code: 'authorisation_expired' },
    });
    expect((await call('/voids', { authorisationKey: expired })).status).toBe(200);
    // What was taken in time can be taken again, and given back, however old it is.
    await age([fresh], '400 days');
    expect((await call(`/authorisations/${ids[0]}/capture`, {})).status).toBe(200);
    expect((await call(`/authorisations/${ids[0]}/refunds`, { amount: euros('1.00') })).status).toBe(201);
  });

  it('forgets what came to nothing after 30 days and what was taken after 540, with its refunds', async () => {
    const ages = { voided: '31 days', young: '29 days', refunded: '541 days', taken: '539 days' };
    const keys = Object.fromEntries(Object.keys(ages).map((name) => [name, `${name}-${randomUUID()}`]));
    await call('/voids', { authorisationKey: keys.voided });
    await authorise('tok_insufficientFunds', keys.young);
    for (const name of ['refunded', 'taken']) {
      const id = String((await authorise('tok_visa', keys[name])).body.id);
      await call(`/authorisations/${id}/capture`, {});
      await call(`/authorisations/${id}/refunds`, { amount: euros('2.00') }, `refund-${keys[name]}`);
    }
    for (const [name, interval] of Object.entries(ages)) await age([keys[name] ?? ''], interval);
    await sandbox.stop();
    sandbox = await start();
    const left = async () => {
      const known = [...(await rows('authorisations')), ...(await rows('refunds'))].map(({ key }) => key);
      return [...Object.values(keys), ...Object.values(keys).map((key) => `refund-${key}`)].filter((key) =>
        known.includes(key),
      );
    };
    await eventually(async () => (await left()).length <= 3);
    expect(await left()).toEqual([keys.young, keys.taken, `refund-${keys.taken}`]);
  });

  it.each([
    ['/authorisations', {}],
    ['/authorisations', { token: '4242424242424242', amount: euros('1.00') }],
    ['/authorisations', { token: 'tok_visa', amount: euros('0.00') }],
    ['/authorisations', { token: 'tok_visa', amount: { amount: 1, currency: 'EUR' } }],
    ['/authorisations/x/refunds', {}],
    ['/voids', { authorisationKey: 7 }],
  ])('refuses %s with %j, and does not repeat it', async (path, body) => {
    const answer = await call(path, body);
    expect(answer).toMatchObject({ status: 422, body: { code: 'validation_error' } });
    expect(JSON.stringify([answer.body, lines])).not.toContain('4242424242424242');
  });
});
