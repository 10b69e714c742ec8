import assert from 'node:assert/strict';
import { CasesOfPromise } from '../contract-case.js';
import type { TakenMessage } from '../../queue-driver.js';
import { textMessages, textOf, textsOf } from '../stage.js';

const numbered = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => `m${from + index}`);

export const scaling = new CasesOfPromise(8)
  .driver('a worker that joins is given nothing that another has in flight', async (stage) => {
    const driver = await stage.process();
    const first = await stage.join(driver);
    await stage.publish(driver, ...textMessages(...numbered(0, 10)));
    const held = await stage.takeCount(first, 5);
    const second = await stage.join(await stage.process());
    const rest: TakenMessage[] = [];
    const look = async (): Promise<boolean> => {
      for (const member of [second, first]) {
        const limit = { messages: 10, bytes: 1_000 };
        const taken = await member.take(limit, stage.signal);
        rest.push(...taken);
        await stage.ack(member, ...taken);
      }
      return rest.length >= 5;
    };
    await stage.until(look, () => `the other five are taken: ${textsOf(rest).join()}`);
    assert.deepEqual(textsOf([...held, ...rest]).sort(), numbered(0, 10).sort());
    await stage.ack(first, ...held);
    await stage.takeNothing(first, 'all are acked');
    await stage.takeNothing(second, 'all are acked');
    assert.ok([...held, ...rest].every(({ deliveryCount }) => deliveryCount === 1));
  })
  .driver('a worker that leaves gives back what it holds, uncounted and at once', async (stage) => {
    const driver = await stage.process();
    const first = await stage.join(driver);
    await stage.publish(driver, ...textMessages('done', 'held'));
    const taken = await stage.takeCount(first, 2);
    await stage.ack(first, ...taken.filter(({ message }) => textOf(message) === 'done'));
    await stage.within(first.leave(stage.harness.deadlineMs), 'leave');
    const second = await stage.join(await stage.process());
    const again = await stage.takeOne(second);
    assert.deepEqual([textOf(again.message), again.deliveryCount, again.previousEnd], ['held', 1, 'none']);
    await stage.ack(second, again);
    await stage.takeNothing(second, 'the other was acked');
  })
  .engine('workers that join and leave under load have every message handled once', async (stage) => {
    const handled: string[] = [];
    const counts = new Set<number>();
    const publisher = await stage.application();
    const worker = async () => {
      const ackline = await stage.application();
      return ackline.consume({ ...stage.consumeOptions(), concurrency: 4 }, async ({ message, deliveryCount }) => {
        await stage.turn();
        handled.push(textOf(message));
        counts.add(deliveryCount);
      });
    };
    const seen = (count: number) =>
      stage.until(
        () => handled.length >= count,
        () => `${count} handled, not ${handled.length}`,
      );
    const first = await worker();
    await stage.publish(publisher, ...textMessages(...numbered(0, 30)));
    await seen(10);
    await worker();
    await stage.publish(publisher, ...textMessages(...numbered(30, 60)));
    await seen(40);
    await stage.within(first.close(stage.harness.deadlineMs), 'close the first worker');
    await stage.publish(publisher, ...textMessages(...numbered(60, 90)));
    await seen(90);
    assert.deepEqual(handled.sort(), numbered(0, 90).sort());
    assert.deepEqual([...counts], [1]);
  });
