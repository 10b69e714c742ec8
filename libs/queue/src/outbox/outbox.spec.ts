import { drizzle } from 'drizzle-orm/node-postgres';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { Ackline, jsonMessage, readJson } from 'ackline';
import type { Message } from 'ackline';
import { MemoryStore } from 'ackline/memory';
import { postgresDriver } from 'ackline/postgres';
import { Inbox, Outbox, OutboxRelay } from './index.js';

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 15_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('the condition did not become true within 15 s');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe('the outbox', () => {
  const database = `outbox_${process.pid}_${Math.random().toString(36).slice(2, 8)}`;
  let admin: pg.Pool;
  let pool: pg.Pool;
  let store: MemoryStore;
  let received: Message[];
  const closing: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    admin = new pg.Pool({ connectionString: process.env.TEST_DATABASE_URL, max: 1 });
    await admin.query(`create database ${database}`);
    const url = new URL(process.env.TEST_DATABASE_URL!);
    url.pathname = `/${database}`;
    pool = new pg.Pool({ connectionString: url.href, max: 20 });
    pool.on('error', () => undefined);
  });

  beforeEach(async () => {
    await pool.query('drop schema if exists ackline cascade');
    store = new MemoryStore();
    received = [];
  });

  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  afterAll(async () => {
    await pool.end();
    await admin.query(`drop database ${database} with (force)`);
    await admin.end();
  });

  const memory = (): Ackline => {
    const ackline = new Ackline({ driver: store.driver() });
    closing.push(() => ackline.close());
    return ackline;
  };
  const consumed = async (ackline: Ackline): Promise<void> => {
    const consumer = ackline.consume(
      { queue: 'orders', group: 'shop', order: 'key' },
      ({ message }) => void received.push(message),
    );
    await until(() => consumer.status().state === 'consuming');
  };
  const relaying = (ackline: Ackline, onError?: (error: unknown) => void): OutboxRelay => {
    const relay = new OutboxRelay({ pool, ackline, pollMs: 10, ...(onError && { onError }) });
    relay.start();
    closing.push(() => relay.stop());
    return relay;
  };
  const inTransaction = async (
    work: (client: pg.PoolClient) => Promise<unknown>,
    end: 'commit' | 'rollback' = 'commit',
  ): Promise<void> => {
    const client = await pool.connect();
    try {
      await client.query('begin');
      await work(client);
      await client.query(end);
    } finally {
      client.release();
    }
  };

  describe.each(['through a relay to another broker', 'on the PostgreSQL driver'] as const)('%s', (where) => {
    const open = (): { ackline: Ackline; outbox: Outbox } => {
      if (where === 'on the PostgreSQL driver') {
        const driver = postgresDriver({ pool });
        const ackline = new Ackline({ driver });
        closing.push(() => ackline.close());
        return { ackline, outbox: new Outbox({ driver, pool }) };
      }
      const driver = store.driver();
      const ackline = new Ackline({ driver });
      closing.push(() => ackline.close());
      relaying(ackline);
      return { ackline, outbox: new Outbox({ driver, pool }) };
    };

    it('publishes what commits, with id, key and headers unchanged, and nothing that rolls back', async () => {
      const { ackline, outbox } = open();
      await consumed(ackline);
      await inTransaction(
        (tx) => outbox.enqueue(tx, 'orders', jsonMessage({ n: 0 }, { id: 'rolled-back' })),
        'rollback',
      );
      await inTransaction((tx) =>
        outbox.enqueue(tx, 'orders', jsonMessage({ n: 1 }, { id: 'one', key: 'k', headers: { trace: 't' } })),
      );
      await until(() => received.length === 1);
      expect(received[0]).toMatchObject({
        id: 'one',
        key: 'k',
        headers: { trace: 't', 'content-type': 'application/json' },
      });
      expect(readJson(received[0]!)).toEqual({ n: 1 });
    });

    it('takes a Kysely transaction', async () => {
      const { ackline, outbox } = open();
      await consumed(ackline);
      const kysely = new Kysely<Record<string, never>>({ dialect: new PostgresDialect({ pool }) });
      await kysely.transaction().execute((tx) => outbox.enqueue(tx, 'orders', jsonMessage({ n: 2 }, { id: 'two' })));
      await until(() => received.length === 1);
      expect(received[0]!.id).toBe('two');
    });

    it('takes a Drizzle transaction, and nothing of one that rolls back', async () => {
      const { ackline, outbox } = open();
      await consumed(ackline);
      const db = drizzle(pool);
      const cancelled = db.transaction(async (tx) => {
        await outbox.enqueue(tx, 'orders', jsonMessage({ n: 0 }, { id: 'rolled-back' }));
        tx.rollback();
      });
      await expect(cancelled).rejects.toThrow('Rollback');
      const ids = await db.transaction((tx) =>
        outbox.enqueue(tx, 'orders', [
          jsonMessage({ price: '$1 or $2', n: null }, { id: 'three', key: 'k', headers: { trace: 't' } }),
          { id: 'four', key: 'k', payload: Uint8Array.of(0, 255, 10) },
        ]),
      );
      expect(ids).toEqual(['three', 'four']);
      await until(() => received.length === 2);
      expect(received[0]).toMatchObject({ id: 'three', key: 'k', headers: { trace: 't' } });
      expect(readJson(received[0]!)).toEqual({ price: '$1 or $2', n: null });
      expect([...received[1]!.payload]).toEqual([0, 255, 10]);
    });

    it('keeps the order of commits for a key, whichever transaction enqueued first', async () => {
      const { ackline, outbox } = open();
      await consumed(ackline);
      const slow = await pool.connect();
      await slow.query('begin');
      await outbox.enqueue(slow, 'orders', jsonMessage('a', { key: 'k' }));
      // The second transaction of the key can only wait: it commits after the first.
      const second = inTransaction((tx) =>
        outbox.enqueue(tx, 'orders', [jsonMessage('b', { key: 'k' }), jsonMessage('c', { key: 'k' })]),
      );
      await inTransaction((tx) => outbox.enqueue(tx, 'orders', jsonMessage('x', { key: 'other' })));
      await until(() => received.length === 1);
      expect(readJson(received[0]!)).toBe('x');
      await slow.query('commit');
      slow.release();
      await second;
      await until(() => received.length === 4);
      expect(received.slice(1).map(readJson)).toEqual(['a', 'b', 'c']);
    });

    it('misses no transaction that commits late among many that commit early', async () => {
      const { ackline, outbox } = open();
      await consumed(ackline);
      const late = await pool.connect();
      await late.query('begin');
      await outbox.enqueue(late, 'orders', jsonMessage('late', { id: 'late' }));
      for (let n = 0; n < 20; n++)
        await inTransaction((tx) => outbox.enqueue(tx, 'orders', jsonMessage(n, { id: `early-${n}` })));
      await until(() => received.length === 20);
      await late.query('commit');
      late.release();
      await until(() => received.length === 21);
      expect(received.at(-1)!.id).toBe('late');
    });

    it('can be a part of a statement of the caller’s, and then stores what that statement stores, or nothing', async () => {
      const { ackline, outbox } = open();
      await consumed(ackline);
      await pool.query('create table if not exists shop_order (id text primary key)');
      const place = async (id: string) => {
        const message = jsonMessage({ id }, { id: `of-${id}`, key: id });
        const event = await outbox.enqueueExpression('orders', message, 2);
        return pool.query(
          `with placed as (insert into shop_order values ($1) on conflict do nothing returning id)
           select id, ${event.text} from placed`,
          [id, ...event.values],
        );
      };
      try {
        await place('a');
        // It is there already: no row comes out of the insert, and so no message.
        expect((await place('a')).rowCount).toBe(0);
        await place('b');
        await until(() => received.length === 2);
        expect(received.map(({ id }) => id)).toEqual(['of-a', 'of-b']);
        await expect(outbox.enqueueExpression('orders', [])).rejects.toThrow('needs at least one message');
      } finally {
        await pool.query('drop table shop_order');
      }
    });

    it('leaves the transaction usable when a message is refused', async () => {
      const { ackline, outbox } = open();
      await consumed(ackline);
      await inTransaction(async (tx) => {
        await expect(outbox.enqueue(tx, 'orders', { payload: 'text' as never })).rejects.toThrow(
          'payload must be a Uint8Array',
        );
        await outbox.enqueue(tx, 'orders', jsonMessage(1, { id: 'good' }));
      });
      await until(() => received.length === 1);
      expect(received[0]!.id).toBe('good');
    });
  });

  it('publishes the batch again under the same ids when the relay dies between publishing and removing', async () => {
    const ackline = memory();
    const outbox = new Outbox({ driver: store.driver(), pool });
    await inTransaction((tx) =>
      outbox.enqueue(tx, 'orders', [jsonMessage(1, { id: 'one' }), jsonMessage(2, { id: 'two' })]),
    );
    // Publishing succeeds and the process dies at once: its connection goes, the transaction with it.
    const dying = {
      publish: async (queue: string, messages: never) => {
        await ackline.publish(queue, messages);
        await admin.query(
          'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()',
          [database],
        );
        throw new Error('killed');
      },
    } as unknown as Ackline;
    await expect(new OutboxRelay({ pool, ackline: dying }).relayOnce()).rejects.toThrow();
    await consumed(ackline);
    relaying(ackline);
    await until(() => received.length === 4);
    expect(received.map(({ id }) => id)).toEqual(['one', 'two', 'one', 'two']);
    const stats = await new OutboxRelay({ pool, ackline }).stats();
    expect(stats).toEqual({ waiting: 0, oldestAgeMs: 0 });
  });

  it('keeps messages, and says how old they are, while the broker is away, and publishes them in order when it is back', async () => {
    const ackline = memory();
    const outbox = new Outbox({ driver: store.driver(), pool });
    let away = true;
    const flaky = {
      publish: (queue: string, messages: never) =>
        away ? Promise.reject(new Error('broker away')) : ackline.publish(queue, messages),
    } as unknown as Ackline;
    const errors: unknown[] = [];
    const relay = relaying(flaky, (error) => errors.push(error));
    for (let n = 0; n < 5; n++) await inTransaction((tx) => outbox.enqueue(tx, 'orders', jsonMessage(n, { key: 'k' })));
    await until(() => errors.length >= 2);
    const stats = await relay.stats();
    expect(stats.waiting).toBe(5);
    expect(stats.oldestAgeMs).toBeGreaterThan(0);
    await consumed(ackline);
    away = false;
    await until(() => received.length === 5);
    expect(received.map(readJson)).toEqual([0, 1, 2, 3, 4]);
  });

  it('relays each message once with several relays, in order per key', async () => {
    const ackline = memory();
    const outbox = new Outbox({ driver: store.driver(), pool });
    for (let relay = 0; relay < 3; relay++) relaying(ackline);
    await consumed(ackline);
    for (let n = 0; n < 60; n++)
      await inTransaction((tx) => outbox.enqueue(tx, 'orders', jsonMessage(n, { key: `k${n % 3}` })));
    await until(() => received.length === 60);
    for (const key of ['k0', 'k1', 'k2']) {
      const values = received.filter((message) => message.key === key).map((message) => readJson(message) as number);
      expect(values).toEqual([...values].sort((a, b) => a - b));
    }
    expect(new Set(received.map(({ id }) => id)).size).toBe(60);
  });

  it('lets a handler know whether its group handles a message for the first time', async () => {
    const inbox = new Inbox({ pool });
    await inbox.migrate();
    const asked: boolean[] = [];
    await inTransaction(async (tx) => asked.push(await inbox.firstTime(tx, 'shop', 'm')), 'rollback');
    await inTransaction(async (tx) => asked.push(await inbox.firstTime(tx, 'shop', 'm')));
    await inTransaction(async (tx) => asked.push(await inbox.firstTime(tx, 'shop', 'm')));
    await inTransaction(async (tx) => asked.push(await inbox.firstTime(tx, 'mail', 'm')));
    expect(asked).toEqual([true, true, false, true]);
    expect(await inbox.forget(60_000)).toBe(0);
    expect(await inbox.forget(0)).toBe(2);
  });
});
