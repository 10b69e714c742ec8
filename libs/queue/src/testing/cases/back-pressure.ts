import assert from 'node:assert/strict';
import { CasesOfPromise } from '../contract-case.js';
import { StopTheLineError } from '../../errors.js';
import { Gate } from '../gate.js';
import { textMessage, textMessages, textOf, textsOf } from '../stage.js';

const sized = (bytes: number) => ({ ...textMessage(''), payload: new Uint8Array(bytes) });

export const backPressure = new CasesOfPromise(9)
  .driver('a worker is given no more messages and bytes than it can take', async (stage) => {
    const driver = await stage.process();
    const member = await stage.join(driver);
    await stage.publish(driver, ...Array.from({ length: 10 }, () => sized(100)));
    const three = await stage.take(member, 3);
    assert.ok(three.length <= 3, `asked for 3 messages, given ${three.length}`);
    const { signal } = stage;
    const look = async (): Promise<boolean> => {
      const some = await member.take({ messages: 10, bytes: 250 }, signal);
      assert.ok(some.length <= 2, `asked for 250 bytes, given ${some.length} messages of 100`);
      return some.length > 0;
    };
    await stage.until(look, 'some are given');
  })
  .driver('one message is given however large it is', async (stage) => {
    const driver = await stage.process();
    const member = await stage.join(driver);
    await stage.publish(driver, sized(5_000));
    const { signal } = stage;
    await stage.until(async () => (await member.take({ messages: 10, bytes: 1 }, signal)).length === 1, 'it is given');
  })
  .driver('what is released is due at once, and the delivery not counted', async (stage) => {
    const driver = await stage.process();
    const member = await stage.join(driver);
    await stage.publish(driver, ...textMessages('a', 'b'));
    const taken = await stage.takeCount(member, 2);
    await stage.within(member.release(taken.map(({ lease }) => lease)), 'release');
    await stage.within(member.release(taken.map(({ lease }) => lease)), 'release what is released');
    const again = await stage.takeCount(member, 2);
    assert.deepEqual(textsOf(again).sort(), ['a', 'b']);
    for (const { deliveryCount, previousEnd } of again) assert.deepEqual([deliveryCount, previousEnd], [1, 'none']);
  })
  .engine('never more in flight than concurrency and bytes allow', async (stage) => {
    const ackline = await stage.application();
    let [running, most, done] = [0, 0, 0];
    const options = { ...stage.consumeOptions(), concurrency: 3, maxBytesInFlight: 250 };
    ackline.consume(options, async () => {
      running += 1;
      most = Math.max(most, running);
      await stage.turn();
      running -= 1;
      done += 1;
    });
    await stage.publish(
      ackline,
      ...Array.from({ length: 12 }, () => sized(100)),
      ...Array.from({ length: 12 }, () => sized(1)),
    );
    await stage.until(
      () => done === 24,
      () => `24 done, not ${done}`,
    );
    assert.ok(most <= 3, `${most} at once`);
  })
  .engine('a worker whose handlers wait takes no more, and another worker does', async (stage) => {
    const [busy, free] = [await stage.application(), await stage.application()];
    const gate = new Gate();
    let held = 0;
    busy.consume({ ...stage.consumeOptions(), concurrency: 2 }, async () => {
      held += 1;
      await gate.opened;
    });
    await stage.publish(busy, ...textMessages('a', 'b', 'c', 'd', 'e', 'f'));
    await stage.until(() => held === 2, 'the first worker is full');
    let handled = 0;
    free.consume(stage.consumeOptions(), () => void (handled += 1));
    await stage.until(
      () => handled === 4,
      () => `the second handles the other 4, not ${handled}`,
    );
    assert.equal(held, 2);
    gate.open();
  })
  .engine(
    'stop the line: the worker pauses, says so, counts no delivery, and goes on when the fault is gone',
    async (stage) => {
      const { delayMs } = stage.harness;
      const events: string[] = [];
      const ackline = await stage.application({ observer: ({ type }) => void events.push(type) });
      let faulty = true;
      let tries = 0;
      const acked: string[] = [];
      const counts = new Set<number>();
      const probe = { baseMs: delayMs, maxMs: 2 * delayMs };
      const consumer = ackline.consume(
        { ...stage.consumeOptions(), concurrency: 1, maxDeliveries: 2, probe },
        (delivery) => {
          tries += 1;
          if (faulty) throw new StopTheLineError('bad_credentials');
          counts.add(delivery.deliveryCount);
          acked.push(textOf(delivery.message));
        },
      );
      await stage.publish(ackline, ...textMessages('a', 'b', 'c'));
      await stage.until(() => consumer.status().state === 'line-stopped', 'the status says that the line is stopped');
      const started = stage.now();
      await stage.until(() => tries >= 4, 'it probes', { afterDelays: 8 });
      const probing = stage.now() - started;
      assert.ok(probing >= delayMs, `three probes within ${probing} ms, ${delayMs} apart at first`);
      faulty = false;
      await stage.until(() => acked.length === 3, 'all are acked', { afterDelays: 3 });
      assert.deepEqual(acked.sort(), ['a', 'b', 'c']);
      assert.deepEqual([...counts], [1], 'a stopped line counts no delivery');
      assert.equal(consumer.status().state, 'consuming');
      assert.ok(events.includes('line-stopped') && events.includes('line-resumed'), events.join());
    },
  );
