import assert from 'node:assert/strict';
import { CasesOfPromise } from '../contract-case.js';
import { Gate } from '../gate.js';
import { textMessage, textMessages, textOf } from '../stage.js';

export const closing = new CasesOfPromise(10)
  .driver('leaving and closing work twice, and end a take that waits', async (stage) => {
    const { deadlineMs } = stage.harness;
    const driver = await stage.process();
    const member = await stage.join(driver);
    const waiting = member.take({ messages: 1, bytes: 1 }, new AbortController().signal);
    await stage.within(Promise.all([member.leave(deadlineMs), member.leave(deadlineMs)]), 'leave twice at once');
    const taken = await stage.within(
      waiting.catch(() => []),
      'the take that waited ends',
    );
    assert.deepEqual(taken, []);
    await stage.within(member.leave(deadlineMs), 'leave once more');
    await stage.within(Promise.all([driver.close(deadlineMs), driver.close(deadlineMs)]), 'close twice at once');
    await stage.within(driver.close(deadlineMs), 'close once more');
    await stage.within((await stage.process()).close(deadlineMs), 'close what was never used');
  })
  .driver('closing the driver gives back what its workers hold', async (stage) => {
    const driver = await stage.process();
    const member = await stage.join(driver);
    await stage.publish(driver, textMessage('a'));
    await stage.takeOne(member);
    await stage.within(driver.close(stage.harness.deadlineMs), 'close');
    const again = await stage.takeOne(await stage.join(await stage.process()));
    assert.deepEqual([textOf(again.message), again.deliveryCount], ['a', 1]);
  })
  .needing('cutOff', 'driver', 'leaving and closing are over by their deadline with the store gone', async (stage) => {
    const { delayMs } = stage.harness;
    const driver = await stage.process();
    const member = await stage.join(driver);
    await stage.publish(driver, textMessage('a'));
    await stage.takeOne(member);
    const reconnect = await stage.harness.cutOff?.(driver);
    await stage.within(member.leave(delayMs), 'leave');
    await stage.within(driver.close(delayMs), 'close');
    await reconnect?.();
  })
  .engine('close takes no more, and lets running handlers end', async (stage) => {
    const ackline = await stage.application();
    const gate = new Gate();
    const started: string[] = [];
    const acked: string[] = [];
    const consumer = ackline.consume({ ...stage.consumeOptions(), concurrency: 2 }, async (delivery) => {
      started.push(textOf(delivery.message));
      await gate.opened;
      await delivery.ack();
      acked.push(textOf(delivery.message));
    });
    await stage.publish(ackline, ...textMessages('a', 'b', 'c', 'd'));
    await stage.until(() => started.length === 2, 'two are running');
    const closed = consumer.close(stage.harness.deadlineMs);
    assert.equal(consumer.status().state, 'closing');
    gate.open();
    await stage.within(closed, 'close');
    assert.equal(consumer.status().state, 'closed');
    assert.deepEqual([started.length, acked.length], [2, 2], 'what ran was acked, and nothing else was started');
    const { ready, inFlight } = await ackline.stats(stage.queue, stage.group);
    assert.deepEqual({ ready, inFlight }, { ready: 2, inFlight: 0 });
  })
  .engine(
    'a handler that hangs is aborted at the deadline, its message given to another worker at once',
    async (stage) => {
      const { delayMs } = stage.harness;
      const ackline = await stage.application();
      let signal: AbortSignal | undefined;
      ackline.consume({ ...stage.consumeOptions(), maxDeliveries: 1 }, async (delivery) => {
        ({ signal } = delivery);
        await new Gate().opened;
      });
      await stage.publish(ackline, textMessage('hangs'));
      await stage.until(() => signal !== undefined, 'it is running');
      const closes = [ackline.close(4 * delayMs), ackline.close(4 * delayMs)];
      await stage.within(Promise.all(closes), 'close twice at once', { afterDelays: 4 });
      assert.equal(signal?.aborted, true);
      const next = await stage.application();
      const again: string[] = [];
      next.consume({ ...stage.consumeOptions(), maxDeliveries: 1 }, ({ message }) => void again.push(textOf(message)));
      await stage.until(() => again.length > 0, 'another worker handles it: a shutdown makes no dead letter');
      assert.deepEqual(again, ['hangs']);
    },
  )
  .engine('close works right after consume, when idle, and again', async (stage) => {
    const ackline = await stage.application();
    const consumer = ackline.consume(stage.consumeOptions(), () => undefined);
    await stage.within(consumer.close(stage.harness.deadlineMs), 'close right after consume');
    const idle = ackline.consume(stage.consumeOptions(), () => undefined);
    await stage.until(() => idle.status().state === 'consuming', 'the second consumes');
    await stage.within(ackline.close(stage.harness.deadlineMs), 'close when idle');
    assert.deepEqual([consumer.status().state, idle.status().state], ['closed', 'closed']);
    await stage.within(ackline.close(stage.harness.deadlineMs), 'close again');
  })
  .needing(
    'cutOff',
    'engine',
    'close is over by its deadline with the store gone and a handler that hangs',
    async (stage) => {
      const { delayMs } = stage.harness;
      const driver = await stage.process();
      const ackline = await stage.application({ driver });
      let running = false;
      ackline.consume(stage.consumeOptions(), async () => {
        running = true;
        await new Gate().opened;
      });
      await stage.publish(ackline, textMessage('hangs'));
      await stage.until(() => running, 'it is running');
      const reconnect = await stage.harness.cutOff?.(driver);
      const startedAt = stage.now();
      await stage.within(ackline.close(4 * delayMs), 'close', { afterDelays: 4 });
      const took = stage.now() - startedAt;
      assert.ok(took <= 8 * delayMs, `close took ${took} ms, its deadline was ${4 * delayMs}`);
      await reconnect?.();
    },
  );
