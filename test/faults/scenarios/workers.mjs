/** Worker processes that die, stand still, come and go. */
import { setTimeout as sleep } from 'node:timers/promises';
import { slownessSince } from '../slowness.mjs';

const SETTLE_MS = 2_000;

export const workerKilled = {
  name: 'worker killed (-9)',
  short: true,
  async run(lab) {
    const stage = lab.stage();
    const [doomed, other] = [stage.start(), stage.start()];
    const load = stage.load(400);
    await stage.busy(100);
    const slowness = slownessSince();
    const at = performance.now();
    await doomed.kill('SIGKILL');
    stage.hit([doomed]);
    const again = () => stage.tally.againAfter(at);
    // What was acked and not reported does not come again.
    if (doomed.open.size > 0)
      await stage.until(
        () => again().length > 0,
        () => 'a message comes again',
        30_000,
      );
    const slackMs = slowness();
    await load.stop();
    await stage.drained();
    const first = Math.round(Math.min(...again()));
    const most = stage.setting.visibilityMs + SETTLE_MS + slackMs;
    return {
      stage,
      inFlightAtKill: doomed.open.size,
      recovery: again(),
      note: `first redelivery after ${first} ms (at most ${most}, ${slackMs} of it because this machine is busy); ${other.handled} handled by the other`,
      violations:
        first > most && doomed.open.size > 0 ? [`the first redelivery took ${first} ms, more than ${most}`] : [],
    };
  },
};

export const cleanJoinLeave = {
  name: 'workers join and leave',
  short: true,
  async run(lab) {
    const stage = lab.stage();
    const first = stage.start();
    const load = stage.load(400);
    await stage.busy(100);
    await stage.caughtUp();
    const at = performance.now();
    const joined = [stage.start(), stage.start(), stage.start()];
    await stage.busy(20, joined);
    await Promise.all([first.kill('SIGTERM'), joined[0].kill('SIGTERM')]);
    await stage.busy(20, joined.slice(1));
    await load.stop();
    await stage.drained();
    return { stage, clean: true, recovery: stage.tally.waits(at) };
  },
};

export const storm = {
  name: 'rebalance storm',
  short: true,
  async run(lab) {
    const stage = lab.stage();
    stage.start();
    const load = stage.load(300);
    await stage.busy(50);
    await stage.caughtUp();
    const at = performance.now();
    const end = at + lab.seconds(10, 40, 30) * 1_000;
    let changes = 0;
    let living = [stage.workers[0]];
    while (performance.now() < end) {
      // Two to five workers, one more or one fewer every second or so.
      const grows = living.length < 2 || (living.length < 5 && Math.random() < 0.5);
      if (grows) living.push(stage.start());
      else await living.splice(Math.floor(Math.random() * living.length), 1)[0].kill('SIGTERM');
      changes++;
      await sleep(300 + Math.random() * 900);
    }
    await load.stop();
    await stage.drained();
    return { stage, clean: true, recovery: stage.tally.waits(at), note: `${changes} workers joined or left` };
  },
};

export const workerPaused = {
  name: 'worker stopped longer than its lease, continued',
  async run(lab) {
    const stage = lab.stage();
    const [paused, other] = [stage.start(), stage.start()];
    const load = stage.load(300);
    await stage.busy(100);
    paused.signal('SIGSTOP');
    const at = stage.hit([paused]);
    await sleep(stage.setting.visibilityMs * 1.7);
    const inFlightAtKill = paused.open.size;
    paused.signal('SIGCONT');
    // It takes part again, under a new name.
    await stage.busy(50);
    await load.stop();
    await stage.drained();
    return { stage, inFlightAtKill, recovery: stage.tally.againAfter(at), note: `${other.handled} by the other` };
  },
};

export const poison = {
  name: 'a message that kills its process',
  async run(lab) {
    const stage = lab.stage({ maxDeliveries: 3, visibilityMs: 4_000 });
    const living = [stage.start(), stage.start()];
    await stage.publish(500);
    await stage.busy(50);
    const at = performance.now();
    await stage.publish(1, { headers: { do: 'die' } });
    const [poisoned] = [...stage.tally.published.keys()].slice(-1);
    const load = stage.load(200);
    let inFlightAtKill = 0;
    const dead = async () => (await stage.driver.stats(stage.queue, 'g')).deadLetters;
    const end = performance.now() + 120_000;
    while ((await dead()) === 0) {
      if (performance.now() > end) throw new Error('the poisoned message is not dead-lettered');
      for (const [index, worker] of living.entries()) {
        if (worker.isRunning) continue;
        await worker.ended;
        stage.hit([worker]);
        inFlightAtKill += worker.open.size;
        living[index] = stage.start();
      }
      await sleep(50);
    }
    const recovery = [performance.now() - at];
    stage.tally.settle(poisoned);
    await load.stop();
    await stage.drained();
    const deaths = stage.tally.deliveries.get(poisoned)?.length ?? 0;
    // Its own deliveries are what it is counted by.
    stage.tally.planned.set(poisoned, deaths - 1);
    const wrong = (await dead()) !== 1 ? [`${await dead()} dead letters, not 1`] : [];
    return {
      stage,
      inFlightAtKill,
      recovery,
      violations: wrong,
      note: `${deaths} processes killed; it alone is a dead letter`,
    };
  },
};
