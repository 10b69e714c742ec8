import { createLogger, NestLogger, withLogContext } from '../index.js';

describe('A log line', () => {
  const lines: Record<string, unknown>[] = [];
  const raw: string[] = [];
  const destination = {
    write: (line: string) => {
      raw.push(line);
      lines.push(JSON.parse(line) as Record<string, unknown>);
    },
  };
  const logger = createLogger({ service: 'booking', level: 'debug', destination });
  beforeEach(() => {
    lines.length = 0;
    raw.length = 0;
  });

  it('carries service, level, time and the ids of the work it is part of', async () => {
    await withLogContext({ requestId: 'r-1' }, () =>
      withLogContext({ eventId: 'e-1' }, async () => {
        await Promise.resolve();
        logger.info({ bookingId: 'b-1' }, 'stored');
      }),
    );
    logger.info('outside');
    expect(lines[0]).toMatchObject({
      service: 'booking',
      level: 'info',
      requestId: 'r-1',
      eventId: 'e-1',
      bookingId: 'b-1',
      msg: 'stored',
      time: expect.stringMatching(/^\d{4}-.*Z$/) as string,
    });
    expect(lines[1]).not.toHaveProperty('requestId');
  });

  it('leaves personal data out, however deep, in texts and in errors', () => {
    const person = {
      givenName: 'Zoë',
      familyName: 'Łukasik',
      email: 'zoe@secret.example',
      phone: '+353123',
      bornOn: '1994-08-14',
    };
    const row = Object.assign(new Error('550 <zoe@secret.example> unknown'), {
      detail: 'Key (name)=(Zoë) exists',
      code: '23505',
    });
    logger.info(person, 'top');
    logger.info({ booking: { contact: person, first: person, list: [person] } }, 'deep');
    logger.warn({ headers: { authorization: 'Bearer Zoë', cookie: 'Zoë', 'set-cookie': 'Zoë' } }, 'headers');
    logger.error(
      { err: new Error('outer', { cause: row }) },
      'sending to zoe@secret.example,zoe@secret.example failed',
    );
    logger.error({ failure: row, attempts: [{ reason: row, [Symbol('s')]: 1 }] }, 'errors under other names');
    logger.info({ a: { b: { c: { d: { e: { f: person } } } } } }, 'deeper than lines go');
    logger.error({ url: 'postgres://admin:Zoë@db.secret/x' }, 'connecting to smtp://Zoë:Zoë@mail.secret');
    const all = raw.join('');
    for (const secret of ['Zoë', 'Łukasik', 'zoe@', '+353123', '1994-08-14']) expect(all).not.toContain(secret);
    expect(lines[0]).toMatchObject({ givenName: '[redacted]', bornOn: '[redacted]' });
    expect(person.givenName).toBe('Zoë');
    expect(lines[4]).toMatchObject({ failure: { code: '23505' }, attempts: [{ reason: { code: '23505' } }] });
    expect(lines[3]).toMatchObject({
      err: { type: 'Error', message: 'outer', cause: { code: '23505', message: '550 <[mail address]> unknown' } },
    });
  });

  it('shows what is not an object of plain fields as JSON does, and circles without end', () => {
    const circle: Record<string, unknown> = { name: 'c' };
    circle.itself = circle;
    const at = new Date('2026-12-01T09:00:00.000Z');
    logger.info({ at, url: new URL('https://ota.example/x'), circle, none: null, left: undefined }, 'kinds');
    expect(lines[0]).toMatchObject({ at: at.toISOString(), url: 'https://ota.example/x', none: null });
    expect(lines[0]).toMatchObject({ circle: { name: 'c', itself: { name: 'c' } } });
  });

  it('keeps a Message-ID, which operators search for', () => {
    logger.info({ messageId: '<eticket.4711.v1@mail.ota.example>' }, 'sent');
    expect(lines[0]).toMatchObject({ messageId: '<eticket.4711.v1@mail.ota.example>' });
  });

  it('takes Nest’s own lines with their context, and errors with their stack', () => {
    const nest = new NestLogger(logger);
    nest.warn('careful', 'RoutesResolver');
    nest.error('broken', 'Error: broken\n    at somewhere', 'ExceptionsHandler');
    nest.error(new Error('thrown'), 'ExceptionsHandler');
    expect(lines).toMatchObject([
      { level: 'warn', msg: 'careful', context: 'RoutesResolver' },
      {
        level: 'error',
        msg: 'broken',
        stack: expect.stringContaining('somewhere') as string,
        context: 'ExceptionsHandler',
      },
      { level: 'error', msg: 'thrown', err: { message: 'thrown' } },
    ]);
  });
});
