/** PostgreSQL as the queue, and as the outbox before Kafka. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Outbox } from 'ackline/outbox';

const RELAY = fileURLToPath(new URL('../relay.mjs', import.meta.url));

export const databaseKilled = {
  name: 'database killed and restarted (PostgreSQL driver)',
  short: true,
  async run(lab) {
    const postgres = await lab.postgres();
    const stage = lab.stage({ connection: { postgres: postgres.url } });
    stage.start();
    stage.start();
    const load = stage.load(200);
    await stage.busy(100);
    await stage.caughtUp();
    const at = performance.now();
    await postgres.kill();
    stage.hit();
    const inFlightAtKill = stage.workers.reduce((sum, { open }) => sum + open.size, 0);
    await stage.busy(200);
    await load.stop();
    await stage.drained();
    return { stage, inFlightAtKill, recovery: stage.tally.waits(at - 500, at + 2_000) };
  },
};

export const relayKilled = {
  name: 'outbox relay killed (-9), three times',
  short: true,
  async run(lab) {
    const batchSize = 50;
    const postgres = await lab.postgres();
    const stage = lab.stage();
    const pool = postgres.pool();
    // Any driver but PostgreSQL's makes it write to the outbox table.
    const outbox = new Outbox({ driver: stage.driver, pool });
    const startRelay = () => {
      const argument = JSON.stringify({ databaseUrl: postgres.url, connection: stage.setting.connection, batchSize });
      const child = spawn(process.execPath, [RELAY, argument], { stdio: ['ignore', 'inherit', 'inherit'] });
      lab.atEnd(() => child.kill('SIGKILL'));
      return { child, ended: once(child, 'exit') };
    };
    stage.start();
    let relay = startRelay();
    const committed = async (count) => {
      const ids = Array.from({ length: count }, () => randomUUID());
      const messages = ids.map((id) => ({ id, payload: new Uint8Array(200) }));
      const client = await pool.connect();
      try {
        await client.query('begin');
        await outbox.enqueue(client, stage.queue, messages);
        await client.query('commit');
      } finally {
        client.release();
      }
      const now = performance.now();
      for (const id of ids) stage.tally.stored(id, now);
    };
    await committed(500);
    await stage.busy(50);
    const at = performance.now();
    for (let kills = 0; kills < 3; kills++) {
      for (let batch = 0; batch < 4; batch++) await committed(500);
      await sleep(150 * Math.random());
      relay.child.kill('SIGKILL');
      await relay.ended;
      relay = startRelay();
      const seen = stage.tally.deliveries.size;
      await stage.until(
        () => stage.tally.deliveries.size > seen + 100,
        () => 'the new relay publishes',
      );
    }
    await stage.drained();
    // Published, and killed before it was marked: one batch a kill at most, under the same ids.
    const inFlightAtKill = 3 * batchSize;
    return {
      stage,
      inFlightAtKill,
      anyMayComeAgain: true,
      recovery: stage.tally.waits(at),
      note: `batches of ${batchSize}`,
    };
  },
};
