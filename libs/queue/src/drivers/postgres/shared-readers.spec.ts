import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { EphemeralReader, Message } from 'ackline';
import { prepareMessage } from '../../prepare-message.js';
import { PostgresDriver } from './postgres-driver.js';

const LIMIT = { messages: 100, bytes: 1_000_000 };
const DEADLINE_MS = 30_000;

describe('readers from the latest end, in one process', () => {
  const database = `ackline_${randomBytes(6).toString('hex')}`;
  let admin: pg.Pool;
  let pool: pg.Pool;
  let driver: PostgresDriver;
  beforeAll(async () => {
    admin = new pg.Pool({ connectionString: process.env.TEST_DATABASE_URL!, max: 1 });
    await admin.query(`create database ${database}`);
    const url = new URL(process.env.TEST_DATABASE_URL!);
    url.pathname = `/${database}`;
    pool = new pg.Pool({ connectionString: url.href, max: 6 });
    // Dropping the database by force ends connections that are on their way out.
    pool.on('error', () => undefined);
    driver = new PostgresDriver({ pool });
  });
  afterAll(async () => {
    await driver.close(2_000);
    await pool.end();
    await admin.query(`drop database ${database} with (force)`);
    await admin.end();
  });

  const publish = (queue: string, ...texts: string[]) =>
    driver.publish(
      queue,
      texts.map((text) => prepareMessage({ payload: Buffer.from(text), key: 'k' })),
    );
  const count = async (sql: string) => Number((await pool.query<{ count: string }>(sql)).rows[0]?.count);

  /** The next `wanted` messages that a reader gives. */
  async function texts(reader: EphemeralReader, wanted: number): Promise<readonly string[]> {
    const given: Message[] = [];
    const signal = AbortSignal.timeout(DEADLINE_MS);
    while (given.length < wanted && !signal.aborted) given.push(...(await reader.take(LIMIT, signal)));
    return given.map(({ payload }) => Buffer.from(payload).toString());
  }

  it('share one group and one row a message, and each begins where it was opened', async () => {
    const first = await driver.openEphemeral({ queue: 'shared', from: 'latest' });
    await publish('shared', 'a', 'b');
    const second = await driver.openEphemeral({ queue: 'shared', from: 'latest' });
    await publish('shared', 'c');
    expect(await texts(first, 3)).toEqual(['a', 'b', 'c']);
    expect(await texts(second, 1)).toEqual(['c']);
    expect(await count('select count(*) from ackline.consumer_group')).toBe(1);
    await first.close(1_000);
    await publish('shared', 'd');
    expect(await texts(second, 1)).toEqual(['d']);
    await second.close(1_000);
    expect(await count('select count(*) from ackline.consumer_group')).toBe(0);
    expect(await count('select count(*) from ackline.delivery')).toBe(0);
  });

  it('do not wait for one that stands still; that one misses nothing', async () => {
    const quick = await driver.openEphemeral({ queue: 'slow', from: 'latest' });
    const slow = await driver.openEphemeral({ queue: 'slow', from: 'latest' });
    const numbers = Array.from({ length: 3_000 }, (_, index) => String(index));
    for (let at = 0; at < numbers.length; at += 500) await publish('slow', ...numbers.slice(at, at + 500));
    expect(await texts(quick, numbers.length)).toEqual(numbers);
    await publish('slow', 'last');
    expect(await texts(quick, 1)).toEqual(['last']);
    expect(await texts(slow, numbers.length + 1)).toEqual([...numbers, 'last']);
    expect(await count('select count(*) from ackline.consumer_group')).toBe(2);
    await Promise.all([quick.close(1_000), slow.close(1_000)]);
    expect(await count('select count(*) from ackline.consumer_group')).toBe(0);
  });
});
