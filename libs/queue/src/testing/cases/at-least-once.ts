import assert from 'node:assert/strict';
import { CasesOfPromise } from '../contract-case.js';
import { Gate } from '../gate.js';
import { textMessage, textMessages, textOf, textsOf } from '../stage.js';

const texts = (count: number): string[] => Array.from({ length: count }, (_, index) => `m${index}`);

export const atLeastOnce = new CasesOfPromise(1)
  .driver('what was published is delivered once, byte for byte, with its key, headers and id', async (stage) => {
    const driver = await stage.process();
    const binary = Uint8Array.from({ length: 256 }, (_, index) => index);
    const published = [
      { ...textMessage('', { key: 'clé – ключ', headers: { 'X-Name': 'Zoë O’Brien', empty: '' } }), payload: binary },
      { ...textMessage('', { id: 'id of the producer / 1' }), payload: new Uint8Array() },
    ];
    const member = await stage.join(driver);
    await stage.publish(driver, ...published);
    const taken = await stage.takeCount(member, published.length);
    for (const { id, key, headers, payload } of published) {
      const message = taken.find((one) => one.message.id === id)?.message;
      assert.ok(message, `message ${id} was not delivered`);
      assert.deepEqual([...message.payload], [...payload]);
      assert.deepEqual({ ...message.headers }, { ...headers });
      assert.equal(message.key, key);
      assert.equal(message.queue, stage.queue);
      assert.notEqual(message.origin, '');
    }
    await stage.takeNothing(member, 'a message under lease is nobody else’s');
  })
  .driver('each of many messages is delivered, and none twice', async (stage) => {
    const driver = await stage.process();
    const member = await stage.join(driver);
    await stage.publish(driver, ...textMessages(...texts(60)));
    await stage.publish(driver, ...textMessages('last'));
    const taken = await stage.takeCount(member, 61);
    assert.deepEqual(textsOf(taken).sort(), [...texts(60), 'last'].sort());
    assert.ok(taken.every(({ deliveryCount, previousEnd }) => deliveryCount === 1 && previousEnd === 'none'));
    await stage.ack(member, ...taken);
    await stage.takeNothing(member, 'all are acked');
  })
  .driver('an acked message is not delivered again, not to a new worker either', async (stage) => {
    const driver = await stage.process();
    const member = await stage.join(driver);
    await stage.publish(driver, ...textMessages('a', 'b'));
    await stage.ack(member, ...(await stage.takeCount(member, 2)));
    await member.leave(stage.harness.deadlineMs);
    const next = await stage.join(await stage.process());
    await stage.publish(driver, textMessage('c'));
    assert.deepEqual(textsOf(await stage.takeCount(next, 1)), ['c']);
    await stage.takeNothing(next, 'a and b are acked');
    const stats = await driver.stats(stage.queue, stage.group);
    assert.deepEqual([stats.ready, stats.waiting, stats.inFlight], [0, 0, 1]);
  })
  .driver('a nacked message is delivered again', async (stage) => {
    const driver = await stage.process();
    const member = await stage.join(driver);
    await stage.publish(driver, textMessage('a'));
    await stage.nack(member, await stage.takeOne(member), 0, 'first_try');
    const again = await stage.takeOne(member);
    assert.deepEqual(
      [textOf(again.message), again.deliveryCount, again.previousEnd, again.lastErrorCode],
      ['a', 2, 'nacked', 'first_try'],
    );
  })
  .driver('what a worker held when it was killed is delivered again, what it had acked is not', async (stage) => {
    const doomed = await stage.process();
    const member = await stage.join(doomed);
    await stage.publish(doomed, ...textMessages('acked', 'held'));
    const taken = await stage.takeCount(member, 2);
    await stage.ack(member, ...taken.filter(({ message }) => textOf(message) === 'acked'));
    await stage.crash(doomed);
    const next = await stage.join(await stage.process());
    const again = await stage.takeOne(next, { afterTimeouts: 1 });
    assert.equal(textOf(again.message), 'held');
    await stage.ack(next, again);
    await stage.takeNothing(next, 'both are acked');
  })
  .engine('with handlers that fail now and then every message is acked in the end', async (stage) => {
    const ackline = await stage.application();
    const acked = new Set<string>();
    ackline.consume(stage.consumeOptions(), async (delivery) => {
      const text = textOf(delivery.message);
      if (delivery.deliveryCount < 3 && Number(text.slice(1)) % 3 === 0) throw new Error('not this time');
      await delivery.ack();
      assert.ok(!acked.has(text), `${text} was acked twice`);
      acked.add(text);
    });
    await stage.publish(ackline, ...textMessages(...texts(30)));
    await stage.until(
      () => acked.size === 30,
      () => `30 acked: ${[...acked].join()}`,
      { afterDelays: 3 },
    );
    const stats = await ackline.stats(stage.queue, stage.group);
    assert.deepEqual([stats.ready, stats.waiting, stats.inFlight, stats.deadLetters], [0, 0, 0, 0]);
  })
  .engine('when a worker is killed in the middle, the others handle what it held', async (stage) => {
    const doomed = await stage.process();
    const done = new Set<string>();
    const held = new Set<string>();
    const never = new Gate();
    const first = await stage.application({ driver: doomed });
    first.consume(stage.consumeOptions(), async ({ message }) => {
      if (done.size < 5) return void done.add(textOf(message));
      held.add(textOf(message));
      await never.opened;
    });
    await stage.publish(first, ...textMessages(...texts(20)));
    await stage.until(() => done.size >= 5 && held.size > 0, 'some handled, some in flight');
    // Those returned just now may have been acked or not when the process ends.
    const before = new Set(done);
    await stage.crash(doomed);
    const second = await stage.application();
    const again: string[] = [];
    second.consume(stage.consumeOptions(), ({ message }) => void again.push(textOf(message)));
    const all = (): boolean => new Set([...before, ...again]).size === 20;
    await stage.until(all, () => `20 handled: ${[...before, ...again].join()}`, { afterTimeouts: 1 });
    for (const text of held) assert.ok(again.includes(text), `${text} was in flight and was not delivered again`);
    assert.equal(new Set(again).size, again.length, 'a living worker got a message twice');
  });
