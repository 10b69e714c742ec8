import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { QueueDriver } from 'ackline';
import { describeQueueDriver, tcpProxy } from 'ackline/testing';
import type { ContractHarness, TcpProxy } from 'ackline/testing';
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
