import assert from 'node:assert/strict';
import { CasesOfPromise } from '../contract-case.js';
import { MAX_DELAY_MS } from '../../message.js';
import { textMessage, textMessages, textOf, textsOf } from '../stage.js';

/** Clocks of store and test may run apart by this share of a delay. */
const EARLY = 0.9;

export const delays = new CasesOfPromise(5)
  .driver('a message nacked with a delay is not delivered before', async (stage) => {
    const delayMs = 3 * stage.harness.delayMs;
    const driver = await stage.process();
    const member = await stage.join(driver);
    await stage.publish(driver, textMessage('waits'));
    const taken = await stage.takeOne(member);
    const nackedAt = stage.now();
    await stage.nack(member, taken, delayMs);
    const again = await stage.takeOne(member, { afterDelays: 3 });
    assert.deepEqual([textOf(again.message), again.deliveryCount], ['waits', 2]);
    const waited = stage.now() - nackedAt;
    assert.ok(waited >= delayMs * EARLY, `it came after ${waited} ms, its delay was ${delayMs}`);
  })
  .driver('a message published with a delay is not delivered before', async (stage) => {
    const delayMs = 3 * stage.harness.delayMs;
    const driver = await stage.process();
    const member = await stage.join(driver);
    const publishedAt = stage.now();
    await stage.publish(driver, textMessage('delayed', { delayMs }));
    const delayed = await stage.takeOne(member, { afterDelays: 3 });
    assert.deepEqual([textOf(delayed.message), delayed.deliveryCount], ['delayed', 1]);
    const waited = stage.now() - publishedAt;
    assert.ok(waited >= delayMs * EARLY, `it came after ${waited} ms, its delay was ${delayMs}`);
  })
  .driver('a message can wait for days, counted as waiting, and blocks nobody', async (stage) => {
    const driver = await stage.process();
    const member = await stage.join(driver);
    await stage.publish(driver, textMessage('in a month', { delayMs: MAX_DELAY_MS }), ...textMessages('nacked', 'now'));
    const taken = await stage.takeCount(member, 2);
    for (const one of taken) {
      if (textOf(one.message) === 'nacked') await stage.nack(member, one, MAX_DELAY_MS);
      else await stage.ack(member, one);
    }
    await stage.takeNothing(member, 'the others wait');
    const { ready, waiting, inFlight } = await driver.stats(stage.queue, stage.group);
    assert.deepEqual({ ready, waiting, inFlight }, { ready: 0, waiting: 2, inFlight: 0 });
    if (stage.harness.advance === undefined) return;
    await member.leave(0);
    await stage.harness.advance(MAX_DELAY_MS);
    const next = await stage.join(driver);
    assert.deepEqual(textsOf(await stage.takeCount(next, 2)).sort(), ['in a month', 'nacked']);
  })
  .engine('the delay that a handler names holds, while others are handled', async (stage) => {
    const delayMs = 3 * stage.harness.delayMs;
    const ackline = await stage.application();
    const handled: string[] = [];
    const times: number[] = [];
    ackline.consume({ ...stage.consumeOptions(), concurrency: 1 }, async (delivery) => {
      const text = textOf(delivery.message);
      handled.push(text);
      if (text === 'in days') return delivery.nack({ delayMs: MAX_DELAY_MS });
      if (text !== 'later') return;
      times.push(stage.now());
      if (delivery.deliveryCount === 1) await delivery.nack({ delayMs, errorCode: 'not_yet' });
    });
    await stage.publish(ackline, ...textMessages('in days', 'later', 'a', 'b'));
    await stage.until(() => times.length === 2, 'the nacked one is delivered again', { afterDelays: 3 });
    await stage.until(
      () => handled.length === 5,
      () => `the others are handled: ${handled.join()}`,
    );
    assert.deepEqual(handled.sort(), ['a', 'b', 'in days', 'later', 'later']);
    const [nackedAt = NaN, againAt = NaN] = times;
    assert.ok(againAt - nackedAt >= delayMs * EARLY, `it came after ${againAt - nackedAt} ms`);
  })
  .engine('without a named delay the backoff grows, with jitter below its ceiling', async (stage) => {
    const nacks: number[] = [];
    const ackline = await stage.application({
      observer: (event) => {
        if (event.type === 'nacked') nacks.push(event.delayMs);
      },
    });
    const backoff = { baseMs: 8, maxMs: 20 };
    ackline.consume({ ...stage.consumeOptions(), backoff, maxDeliveries: 5 }, () => {
      throw new Error('as always');
    });
    await stage.publish(ackline, ...textMessages('a', 'b'));
    const dead = async (): Promise<boolean> => (await ackline.stats(stage.queue, stage.group)).deadLetters === 2;
    await stage.until(dead, 'both are dead letters after five deliveries', { afterDelays: 5 });
    assert.equal(nacks.length, 8);
    assert.ok(
      nacks.every((delay) => delay >= 0 && delay <= 20),
      `delays ${nacks.join()}`,
    );
  });
