/** Very many messages, very large ones, and a log that forgets. */
import { Ackline } from 'ackline';
import { slownessSince } from '../slowness.mjs';

const DAY = { headers: { do: 'day' } };
/** A snapshot comes every 5,000 ledger records, and the next one may be under way. */
const LEDGER_RECORDS = 15_000;

export const manySettled = {
  name: 'very many settled, one waits a day',
  async run(lab) {
    const count = lab.count(30_000, 200_000, 1_000_000);
    const stage = lab.stage({ quiet: true, concurrency: 100, handleMs: 0 });
    await stage.publish(1, DAY);
    const worker = stage.start();
    await stage.until(
      () => stage.tally.settled.size === 1,
      () => 'the first one is put off',
    );
    const payload = new Uint8Array(100);
    for (let sent = 0; sent < count; sent += 5_000) {
      const messages = Array.from({ length: 5_000 }, (_, index) => ({
        id: `n${sent + index}`,
        key: undefined,
        payload,
        headers: {},
        delayMs: 0,
      }));
      await stage.driver.publish(stage.queue, messages);
      await stage.until(
        () => worker.handled > sent - 50_000,
        () => 'the worker keeps up',
        300_000,
      );
    }
    const left = async () => {
      const { ready, inFlight, waiting } = await stage.driver.stats(stage.queue, 'g');
      return ready + inFlight + Math.max(0, waiting - 1);
    };
    await stage.until(
      async () => (await left()) === 0,
      () => `${worker.handled} of ${count} handled`,
      600_000,
    );
    await worker.kill('SIGKILL');
    const slowness = slownessSince();
    const at = performance.now();
    stage.start({ quiet: false });
    await stage.publish(1);
    const last = [...stage.tally.published.keys()].at(-1);
    await stage.until(
      () => stage.tally.settled.has(last),
      () => 'the next worker goes on',
    );
    const recoveryMs = performance.now() - at;
    const slackMs = slowness();
    const sizes = await lab.admin((admin) => admin.fetchTopicOffsets(`${stage.queue}.g.ledger`));
    const records = Math.max(...sizes.map(({ low, high }) => Number(high) - Number(low)));
    await stage.drained(1);
    const most = stage.setting.visibilityMs + 10_000 + slackMs;
    return {
      stage,
      more: count,
      recovery: [recoveryMs],
      note: `${count} settled; a new worker goes on after ${Math.round(recoveryMs)} ms (at most ${most}); ledger: ${records} records a partition at most`,
      violations: [
        ...(recoveryMs > most ? [`recovery took ${Math.round(recoveryMs)} ms`] : []),
        ...(records > LEDGER_RECORDS ? [`a ledger partition has ${records} records, more than ${LEDGER_RECORDS}`] : []),
      ],
    };
  },
};

export const nearLimit = {
  name: 'messages at the size limit, through retry and dead letter',
  short: true,
  async run(lab) {
    const stage = lab.stage();
    const payload = Buffer.alloc(1024 * 1024, 'x');
    const at = performance.now();
    stage.start();
    await stage.publish(2, { payload, headers: { do: 'nack-2', note: 'n'.repeat(8_000) } });
    await stage.publish(2, { payload, headers: { do: 'nack-2-reject', note: 'n'.repeat(8_000) } });
    for (const id of stage.tally.published.keys()) stage.tally.planned.set(id, 2);
    await stage.until(
      () => stage.tally.open.length === 0,
      () => `${stage.tally.open.length} are open`,
      60_000,
    );
    const ackline = new Ackline({ driver: stage.driver });
    const store = ackline.deadLetters(stage.queue, 'g');
    const letters = [];
    await stage.until(
      async () => {
        letters.length = 0;
        for await (const letter of store.list()) letters.push(letter);
        return letters.length === 2;
      },
      () => `${letters.length} dead letters`,
    );
    const whole = letters.every((letter) => Buffer.from(letter.payload).equals(payload));
    return {
      stage,
      clean: true,
      recovery: stage.tally.waits(at),
      violations: whole ? [] : ['a payload changed on its way'],
    };
  },
};

export const trimmedLog = {
  name: 'the log was trimmed under waiting messages',
  async run(lab) {
    const stage = lab.stage({ partitions: 1 });
    const early = stage.start();
    await stage.publish(10);
    await stage.drained();
    await early.kill('SIGTERM');
    const first = stage.tally.published.size;
    await stage.publish(300);
    await lab.admin(async (admin) => {
      await admin.fetchTopicOffsets(stage.queue);
      await admin.deleteTopicRecords({
        topic: stage.queue,
        partitions: [{ partition: 0, offset: String(first + 100) }],
      });
    });
    // Gone, and said so: they are not counted as published any more.
    for (const id of [...stage.tally.published.keys()].slice(first, first + 100)) stage.tally.withdraw(id);
    const at = performance.now();
    stage.start();
    await stage.drained();
    const told = stage.tally.errors.some((line) => line.startsWith('100 messages expired unhandled'));
    return {
      stage,
      clean: true,
      recovery: stage.tally.waits(at - 60_000),
      note: '100 of 300 trimmed, and reported',
      violations: told ? [] : [`not reported: ${JSON.stringify(stage.tally.errors)}`],
    };
  },
};
