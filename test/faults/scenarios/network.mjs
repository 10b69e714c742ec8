/** Brokers that are far away, or do not answer at all. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Network } from '../network.mjs';

async function behindNetwork(lab, setting, run) {
  const network = new Network();
  const detours = await network.before(lab.brokers);
  try {
    return await run(network, lab.stage({ ...setting, detours }));
  } finally {
    lab.atEnd(() => network.close());
  }
}

export const slowLedger = {
  name: '100 ms on every write while workers join',
  short: true,
  run: (lab) =>
    behindNetwork(lab, { concurrency: 100 }, async (network, stage) => {
      network.delayMs = 50;
      stage.start();
      const load = stage.load(200);
      await stage.busy(50);
      await stage.caughtUp();
      const at = performance.now();
      const joined = [stage.start(), stage.start(), stage.start()];
      await stage.busy(20, joined);
      await Promise.all(joined.slice(1).map((worker) => worker.kill('SIGTERM')));
      await load.stop();
      await stage.drained();
      return { stage, clean: true, recovery: stage.tally.waits(at) };
    }),
};

export const slowNetwork = {
  name: 'slow network (600 ms round trip)',
  run: (lab) =>
    behindNetwork(lab, { visibilityMs: 10_000, concurrency: 100 }, async (network, stage) => {
      const workers = [stage.start(), stage.start()];
      const load = stage.load(100);
      await stage.busy(50);
      await stage.caughtUp();
      network.delayMs = 300;
      const at = performance.now();
      await stage.busy(150, workers);
      network.delayMs = 0;
      await load.stop();
      await stage.drained();
      return { stage, clean: true, recovery: stage.tally.waits(at) };
    }),
};

export const blackHole = {
  name: 'network that swallows everything, then mends',
  run: (lab) =>
    behindNetwork(lab, {}, async (network, stage) => {
      const other = stage.start({ detours: {} });
      const cutOff = stage.start();
      const load = stage.load(300);
      await stage.busy(100);
      network.swallows = true;
      const at = performance.now();
      await sleep(stage.setting.visibilityMs * 1.7);
      stage.hit([cutOff]);
      const inFlightAtKill = cutOff.open.size;
      network.mend();
      await stage.busy(50, [other]);
      await stage.busy(50, [cutOff]);
      await load.stop();
      await stage.drained();
      return { stage, inFlightAtKill, recovery: stage.tally.againAfter(at) };
    }),
};
