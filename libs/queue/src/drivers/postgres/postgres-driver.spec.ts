import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { BrokerUnavailableError } from 'ackline';
import type { PreparedMessage, QueueDriver } from 'ackline';
import { describeQueueDriver, tcpProxy } from 'ackline/contract-suite';
import type { ContractHarness, TcpProxy } from 'ackline/contract-suite';
import { Maintenance } from './maintenance.js';
import { PostgresDriver } from './postgres-driver.js';
import { Store } from './store.js';

/** A database of its own, and a wire to it for every process that can be cut. */
async function postgresHarness(): Promise<ContractHarness> {
  const server = new URL(process.env.TEST_DATABASE_URL!);
  const admin = new pg.Pool({ connectionString: server.href, max: 1 });
  const database = `ackline_${randomBytes(6).toString('hex')}`;
  await admin.query(`create database ${database}`);
  const url = new URL(server.href);
  url.pathname = `/${database}`;
  const pool = new pg.Pool({ connectionString: url.href, max: 2 });
  pool.on('error', () => undefined);
  const wires = new Map<QueueDriver, TcpProxy>();
  const drivers: PostgresDriver[] = [];

  return {
    features: new PostgresDriver({ pool }).features,
    async open() {
      const wire = await tcpProxy(server.hostname, Number(server.port));
      const through = new URL(url.href);
      through.hostname = '127.0.0.1';
      through.port = String(wire.port);
      const driver = new PostgresDriver({ connectionString: through.href, maxConnections: 4 });
      wires.set(driver, wire);
      drivers.push(driver);
      return driver;
    },
    crash(driver) {
      wires.get(driver)!.cut();
      return Promise.resolve();
    },
    cutOff(driver) {
      const wire = wires.get(driver)!;
      wire.cut();
      return Promise.resolve(() => Promise.resolve(wire.restore()));
    },
    async passRetention() {
      await pool.query("update ackline.message set published_at = published_at - interval '8 days'");
      await new Maintenance(new Store({ pool })).run();
    },
    visibilityTimeoutMs: 1_500,
    delayMs: 400,
    deadlineMs: 15_000,
    async close() {
      await Promise.all(drivers.map((driver) => driver.close(500)));
      await Promise.all([...wires.values()].map((wire) => wire.close()));
      await pool.end();
      await admin.query(`drop database ${database} with (force)`);
      await admin.end();
    },
  };
}

describeQueueDriver('postgres driver', postgresHarness);

describe('postgres driver, beside the contract', () => {
  let database: { pool: pg.Pool; drop(): Promise<void> };
  let driver: PostgresDriver;

  beforeEach(async () => {
    const admin = new pg.Pool({ connectionString: process.env.TEST_DATABASE_URL, max: 1 });
    const name = `ackline_${randomBytes(6).toString('hex')}`;
    await admin.query(`create database ${name}`);
    const url = new URL(process.env.TEST_DATABASE_URL!);
    url.pathname = `/${name}`;
    const pool = new pg.Pool({ connectionString: url.href, max: 10 });
    pool.on('error', () => undefined);
    database = {
      pool,
      async drop() {
        await pool.end();
        await admin.query(`drop database ${name} with (force)`);
        await admin.end();
      },
    };
    driver = new PostgresDriver({ pool });
  });

  afterEach(async () => {
    await driver.close(2_000);
    await database.drop();
  });

  const message = (id: string): PreparedMessage => ({
    id,
    key: undefined,
    payload: new Uint8Array([1]),
    headers: {},
    delayMs: 0,
  });
  const groupOptions = {
    queue: 'q',
    group: 'late',
    from: 'beginning',
    order: { by: 'none' },
    visibilityTimeoutMs: 5_000,
  } as const;

  it('lets others publish while a group that is new waits for a transaction that is open, and misses nothing of it', async () => {
    const tx = await database.pool.connect();
    await driver.publish('q', [message('first')]);
    await tx.query('begin');
    const { text, values } = await driver.enqueueExpression('q', [message('open')], 1);
    await tx.query(`select ${text}`, [...values]);
    let joined = false;
    const joining = driver.join(groupOptions).then((member) => {
      joined = true;
      return member;
    });
    for (let n = 0; n < 10; n++) await driver.publish('q', [message(`beside-${n}`)]);
    expect(joined).toBe(false);
    await tx.query('commit');
    tx.release();
    const member = await joining;
    const ids = new Set<string>();
    const signal = AbortSignal.timeout(10_000);
    while (ids.size < 12 && !signal.aborted) {
      for (const taken of await member.take({ messages: 20, bytes: 1_000 }, signal)) ids.add(taken.message.id);
    }
    expect(ids.size).toBe(12);
  });

  it('makes its tables once when many processes start at the same moment', async () => {
    const drivers = Array.from({ length: 8 }, () => new PostgresDriver({ pool: database.pool }));
    await Promise.all(drivers.map((one, n) => one.publish('q', [message(`m${n}`)])));
    const { rows } = await database.pool.query<{ count: string }>('select count(*) as count from ackline.message');
    expect(Number(rows[0]!.count)).toBe(8);
  });

  it('refuses a transaction that would not see every group, and says which isolation level it needs', async () => {
    const tx = await database.pool.connect();
    const { text, values } = await driver.enqueueExpression('q', [message('m')], 1);
    await tx.query('begin isolation level repeatable read');
    await expect(tx.query(`select ${text}`, [...values])).rejects.toThrow('READ COMMITTED');
    await tx.query('rollback');
    tx.release();
  });

  it('says at once that the database is away, and works when it is back', async () => {
    const server = new URL(process.env.TEST_DATABASE_URL!);
    const wire = await tcpProxy(server.hostname, Number(server.port));
    server.hostname = '127.0.0.1';
    server.port = String(wire.port);
    const away = new PostgresDriver({ connectionString: server.href });
    wire.cut();
    await expect(away.publish('q', [message('m')])).rejects.toThrow(BrokerUnavailableError);
    await expect(away.ping(1_000)).rejects.toThrow(BrokerUnavailableError);
    wire.restore();
    await away.ping(5_000);
    await away.close(2_000);
    await wire.close();
  });

  it('names what is wrong with an option', () => {
    expect(() => new PostgresDriver({ connectionString: 'mysql://x' })).toThrow(
      'connectionString must be a URL like postgres://',
    );
    expect(() => new PostgresDriver({ pool: database.pool, retentionMs: 5 })).toThrow(
      'retentionMs is 5: use at least 1000.',
    );
  });
});
