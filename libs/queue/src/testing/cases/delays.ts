import assert from 'node:assert/strict';
import { CasesOfPromise } from '../contract-case.js';
import { MAX_DELAY_MS } from '../../message.js';
import { textMessage, textMessages, textOf, textsOf } from '../stage.js';

/** Clocks of store and test may run apart by this share of a delay. */
const EARLY = 0.9;

export const delays = new CasesOfPromise(5)
  .driver('a message nacked with a delay comes after it, and blocks nobody until then', async (stage) => {
    const { delayMs } = stage.harness;
    const driver = await stage.process();
    const member = await stage.join(driver);
    await stage.publish(driver, ...textMessages('waits', 'next'));
    const taken = await stage.takeCount(member, 2);
    const waits = taken.find(({ message }) => textOf(message) === 'waits');
    assert.ok(waits);
    const nackedAt = stage.now();
    await stage.nack(member, waits, 3 * delayMs);
    await stage.publish(driver, textMessage('later'));
    const later = await stage.takeOne(member);
    assert.equal(textOf(later.message), 'later', 'the waiting message came first');
    const again = await stage.takeOne(member, { afterDelays: 3 });
    const waited = stage.now() - nackedAt;
    assert.deepEqual([textOf(again.message), again.deliveryCount], ['waits', 2]);
    assert.ok(waited >= 3 * delayMs * EARLY, `it came after ${waited} ms, its delay was ${3 * delayMs}`);
  })
  .driver('a message published with a delay comes after it, and blocks nobody until then', async (stage) => {
    const { delayMs } = stage.harness;
    const driver = await stage.process();
    const member = await stage.join(driver);
    const publishedAt = stage.now();
    await stage.publish(driver, textMessage('delayed', { delayMs: 3 * delayMs }), textMessage('now'));
    assert.equal(textOf((await stage.takeOne(member)).message), 'now');
    const delayed = await stage.takeOne(member, { afterDelays: 3 });
    const waited = stage.now() - publishedAt;
    assert.deepEqual([textOf(delayed.message), delayed.deliveryCount], ['delayed', 1]);
    assert.ok(waited >= 3 * delayMs * EARLY, `it came after ${waited} ms, its delay was ${3 * delayMs}`);
  })
  .driver('a message can wait for days, counted as waiting', async (stage) => {
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
    const { delayMs } = stage.harness;
    const ackline = await stage.application();
    const handled: string[] = [];
    let [nackedAt, againAt] = [NaN, NaN];
    ackline.consume({ ...stage.consumeOptions(), concurrency: 1 }, async (delivery) => {
      const text = textOf(delivery.message);
      handled.push(text);
      if (text !== 'later') return;
      if (delivery.deliveryCount > 1) againAt = stage.now();
      else {
        nackedAt = stage.now();
        await delivery.nack({ delayMs: 3 * delayMs, errorCode: 'not_yet' });
      }
    });
    await stage.publish(ackline, textMessage('later'));
    await stage.until(() => !Number.isNaN(nackedAt), 'the first is nacked');
    await stage.publish(ackline, ...textMessages('a', 'b', 'c'));
    await stage.until(() => !Number.isNaN(againAt), 'the nacked one is delivered again', { afterDelays: 3 });
    assert.deepEqual([handled[0], handled.slice(1, 4).sort(), handled[4]], ['later', ['a', 'b', 'c'], 'later']);
    assert.ok(againAt - nackedAt >= 3 * delayMs * EARLY, `it came after ${againAt - nackedAt} ms`);
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
