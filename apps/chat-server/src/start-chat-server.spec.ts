import { randomUUID } from 'node:crypto';
import { eventually } from '@eticket/service/testing';
import { TestRoom } from './testing/test-room.js';

describe('the chat server', () => {
  let room: TestRoom;
  beforeEach(async () => {
    room = await TestRoom.open();
  });
  afterEach(() => room.close());

  it('puts join, message and leave on the topic before it answers', async () => {
    const joined = await room.call('/join', { username: 'Zoë' });
    expect(joined).toMatchObject({ status: 201, body: { data: { username: 'Zoë', heartbeatMs: 7_500 } } });
    await eventually(() => room.topic.length === 1);
    const token = String(joined.body.data?.token);
    const id = randomUUID();
    const published = await room.call('/publish', { username: 'zoë', message: 'hello', id }, token);
    expect(published).toMatchObject({ status: 201, body: { data: { id } } });
    expect((await room.call('/heartbeat', '', token)).status).toBe(204);
    expect((await room.call('/leave', { username: 'Zoë' }, token)).status).toBe(204);
    await eventually(() => room.topic.length === 3);
    expect(room.topic).toMatchObject([
      { type: 'joined', username: 'Zoë' },
      { type: 'said', username: 'Zoë', message: 'hello' },
      { type: 'left', username: 'Zoë', why: 'left' },
    ]);
    // The token is given to its user alone.
    expect(JSON.stringify(room.topic)).not.toContain(token);
    expect(room.logLines.join('')).not.toMatch(new RegExp(`hello|Zoë|${token}`));
  });

  it('lets nobody speak, leave or look without a token, or with another’s', async () => {
    const ana = await room.join('ana');
    const bob = await room.join('bob');
    const message = { username: 'ana', message: 'I am ana' };
    expect(await room.call('/publish', message)).toMatchObject({ status: 401, body: { code: 'token_required' } });
    expect(await room.call('/publish', message, 'made-up')).toMatchObject({ body: { code: 'token_required' } });
    const unknown = `crt_${'x'.repeat(43)}`;
    expect(await room.call('/publish', message, unknown)).toMatchObject({
      status: 401,
      body: { code: 'token_unknown' },
    });
    expect(await room.call('/publish', message, bob)).toMatchObject({ status: 403, body: { code: 'wrong_user' } });
    expect(await room.call('/leave', { username: 'ana' }, bob)).toMatchObject({ status: 403 });
    expect((await room.call('/heartbeat', '')).status).toBe(401);
    expect((await room.call('/who')).status).toBe(401);
    await room.call('/leave', { username: 'ana' }, ana);
    expect(await room.call('/publish', message, ana)).toMatchObject({ status: 401, body: { code: 'token_unknown' } });
    expect(await room.users(bob)).toEqual(['bob']);
    expect(room.topic.filter(({ type }) => type === 'said')).toEqual([]);
  });

  it('refuses a name that is taken, in any case, and of twenty who ask at once lets in one', async () => {
    await room.join('ana');
    expect(await room.call('/join', { username: 'ANA' })).toMatchObject({
      status: 409,
      body: { code: 'username_taken' },
    });
    const answers = await Promise.all(Array.from({ length: 20 }, () => room.call('/join', { username: 'bob' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
  });

  it.each([
    ['/join', '{"username"', 400, 'unreadable_json', undefined],
    ['/join', '[]', 422, 'validation_error', undefined],
    ['/join', {}, 422, 'validation_error', { pointer: '/username', code: 'required' }],
    ['/join', { username: 7 }, 422, 'validation_error', { pointer: '/username', code: 'wrong_type' }],
    ['/join', { username: 'a b' }, 422, 'validation_error', { pointer: '/username', code: 'invalid_username' }],
    ['/join', { username: 'ana', admin: true }, 422, 'validation_error', { pointer: '/admin', code: 'unknown_field' }],
    [
      '/publish',
      { username: 'ana', message: 'a\u001b[2J' },
      422,
      'validation_error',
      { pointer: '/message', code: 'invalid_message' },
    ],
    [
      '/publish',
      { username: 'ana', message: 'x'.repeat(4_001) },
      422,
      'validation_error',
      { pointer: '/message', code: 'invalid_message' },
    ],
    [
      '/publish',
      { username: 'ana', message: 'hi', id: '1' },
      422,
      'validation_error',
      { pointer: '/id', code: 'invalid_id' },
    ],
    ['/publish', { username: 'ana', message: 'x'.repeat(70_000) }, 413, 'payload_too_large', undefined],
    ['/nowhere', {}, 404, 'not_found', undefined],
  ])('answers %s with a problem (%#)', async (path, body, status, code, error) => {
    const answer = await room.call(path, body);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.body).toMatchObject({ status, code, instance: path, requestId: answer.headers.get('x-request-id') });
    if (error) expect(answer.body.errors).toEqual([expect.objectContaining(error)]);
  });

  it('takes no forms: a page elsewhere could send them', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expect(await room.call('/join', 'username=ana', undefined, headers)).toMatchObject({ status: 415 });
    expect(room.topic).toEqual([]);
  });

  it('after a restart knows who is there and lets them go on, as it has all from the topic', async () => {
    const ana = await room.join('ana');
    const bob = await room.join('bob');
    await room.call('/leave', { username: 'bob' }, bob);
    await room.stopServer();
    await room.startServer();
    expect((await room.call('/publish', { username: 'ana', message: 'still here' }, ana)).status).toBe(201);
    expect(await room.users(ana)).toEqual(['ana']);
    expect(await room.call('/join', { username: 'ana' })).toMatchObject({ status: 409 });
    expect((await room.call('/heartbeat', '', bob)).status).toBe(401);
  });

  it('loses nothing of what one user says at once', async () => {
    const ana = await room.join('ana');
    const texts = Array.from({ length: 15 }, (_, index) => `number ${index}`);
    await Promise.all(texts.map((message) => room.call('/publish', { username: 'ana', message }, ana)));
    await eventually(() => room.topic.length === 16);
    expect(new Set(room.topic.slice(1).map(({ message }) => message))).toEqual(new Set(texts));
  });

  it('is ready, has metrics, and describes every call and problem code', async () => {
    await room.join('ana');
    expect((await room.call('/health/ready')).status).toBe(200);
    const { body } = await room.call('/docs-json');
    const paths = body.paths as Record<string, Record<string, { responses: Record<string, { description: string }> }>>;
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(['/heartbeat', '/join', '/leave', '/publish', '/who']));
    expect(paths['/join']?.post?.responses['409']?.description).toMatch(/username_taken.*room_full/s);
  });
});

describe('a chat server with narrow rules', () => {
  let room: TestRoom;
  afterEach(() => room.close());

  it('makes a user who says too much wait, and nobody else', async () => {
    room = await TestRoom.open({ CHAT_MESSAGES_BURST: '3', CHAT_MESSAGES_PER_SECOND: '1' });
    const [ana, bob] = [await room.join('ana'), await room.join('bob')];
    const say = (username: string, token: string) => room.call('/publish', { username, message: 'hi' }, token);
    const statuses = [];
    for (let count = 0; count < 4; count++) statuses.push((await say('ana', ana)).status);
    expect(statuses).toEqual([201, 201, 201, 429]);
    const refused = await say('ana', ana);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(refused.body.retryAfterMs).toBeGreaterThan(0);
    expect((await say('bob', bob)).status).toBe(201);
    // A new join under the same name is the same user.
    await room.call('/leave', { username: 'ana' }, ana);
    expect((await say('ana', await room.join('ana'))).status).toBe(429);
  });

  it('reports those whose heartbeats stop as gone, and keeps those who are heard of', async () => {
    room = await TestRoom.open({ CHAT_GONE_AFTER_MS: '1000' });
    const [ana, bob] = [await room.join('ana'), await room.join('bob')];
    await eventually(async () => {
      await room.call('/heartbeat', '', ana);
      return room.topic.some(({ type, username, why }) => type === 'left' && username === 'bob' && why === 'gone');
    });
    expect(await room.users(ana)).toEqual(['ana']);
    expect((await room.call('/heartbeat', '', bob)).status).toBe(401);
  });

  it('is full at its limit', async () => {
    room = await TestRoom.open({ CHAT_MAX_USERS: '1' });
    await room.join('ana');
    expect(await room.call('/join', { username: 'bob' })).toMatchObject({ status: 409, body: { code: 'room_full' } });
  });
});
