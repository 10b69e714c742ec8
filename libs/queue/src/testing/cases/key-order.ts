import assert from 'node:assert/strict';
import { CasesOfPromise } from '../contract-case.js';
import type { GroupMember, TakenMessage } from '../../queue-driver.js';
import { MAX_DELAY_MS } from '../../message.js';
import { textMessage, textOf, textsOf, type Stage } from '../stage.js';

const block = { by: 'key', whenHeadWaits: 'block' } as const;
const overtake = { by: 'key', whenHeadWaits: 'overtake' } as const;

/** `k1` has key `k`. */
const keyed = (text: string) => textMessage(text, { key: text.slice(0, 1) });

/** Takes one message of every key that has one free. */
async function heads(stage: Stage, member: GroupMember, count: number): Promise<Map<string, TakenMessage>> {
  const taken = await stage.takeCount(member, count);
  await stage.takeNothing(member, `beside ${textsOf(taken).join()}: a key has one message in flight`);
  return new Map(taken.map((one) => [textOf(one.message), one]));
}

function held(of: Map<string, TakenMessage>, text: string): TakenMessage {
  const taken = of.get(text);
  assert.ok(taken, `expected ${text} among ${[...of.keys()].join()}`);
  return taken;
}

export const keyOrder = new CasesOfPromise(7)
  .driver('messages of one key are given one at a time, in publish order', async (stage) => {
    const driver = await stage.process();
    const member = await stage.join(driver, { order: block });
    await stage.publish(driver, keyed('k1'), keyed('k2'), keyed('j1'));
    await stage.publish(driver, keyed('k3'), textMessage('keyless 1'), textMessage('keyless 2'));
    const first = await heads(stage, member, 4);
    assert.deepEqual([...first.keys()].sort(), ['j1', 'k1', 'keyless 1', 'keyless 2']);
    await stage.ack(member, held(first, 'k1'));
    const second = await heads(stage, member, 1);
    await stage.ack(member, held(second, 'k2'));
    held(await heads(stage, member, 1), 'k3');
  })
  .driver('a key whose head waits is blocked, where the group chose so; other keys go on', async (stage) => {
    const { delayMs } = stage.harness;
    const driver = await stage.process();
    const member = await stage.join(driver, { order: block });
    await stage.publish(driver, keyed('k1'), keyed('k2'));
    await stage.nack(member, await stage.takeOne(member), 4 * delayMs);
    await stage.publish(driver, keyed('j1'));
    const taken = await stage.takeCount(member, 2, { afterDelays: 4 });
    assert.deepEqual(textsOf(taken).sort(), ['j1', 'k1']);
    const again = taken.find(({ message }) => textOf(message) === 'k1') as TakenMessage;
    assert.equal(again.deliveryCount, 2);
    await stage.reject(member, again);
    assert.equal(textOf((await stage.takeOne(member)).message), 'k2', 'a dead letter blocks its key no longer');
  })
  .driver('a key whose head waits is overtaken, where the group chose so', async (stage) => {
    const driver = await stage.process();
    const member = await stage.join(driver, { order: overtake });
    await stage.publish(driver, keyed('k1'), keyed('k2'), keyed('k3'));
    const first = await heads(stage, member, 1);
    await stage.nack(member, held(first, 'k1'), MAX_DELAY_MS);
    const second = await heads(stage, member, 1);
    await stage.nack(member, held(second, 'k2'), 0);
    const third = await heads(stage, member, 1);
    await stage.ack(member, held(third, 'k2'));
    held(await heads(stage, member, 1), 'k3');
  })
  .driver('a key keeps its order through the death of the worker that held its head', async (stage) => {
    const doomed = await stage.process();
    const member = await stage.join(doomed, { order: block });
    await stage.publish(doomed, keyed('k1'), keyed('k2'));
    held(await heads(stage, member, 1), 'k1');
    await stage.crash(doomed);
    const next = await stage.join(await stage.process(), { order: block });
    const again = await stage.takeOne(next, { afterTimeouts: 1 });
    assert.deepEqual([textOf(again.message), again.deliveryCount], ['k1', 2]);
    await stage.takeNothing(next, 'k1 is in flight');
    await stage.ack(next, again);
    assert.equal(textOf((await stage.takeOne(next)).message), 'k2');
  })
  .driver('a redriven message waits for the one of its key in flight, and holds up no other key', async (stage) => {
    const driver = await stage.process();
    const member = await stage.join(driver, { order: block });
    await stage.publish(driver, keyed('k1'), keyed('k2'), keyed('k3'));
    const first = held(await heads(stage, member, 1), 'k1');
    await stage.reject(member, first);
    const second = held(await heads(stage, member, 1), 'k2');
    const store = driver.deadLetters(stage.queue, stage.group);
    await stage.within(store.redrive([first.message.id], 'ops'), 'redrive');
    await stage.publish(driver, keyed('j1'));
    held(await heads(stage, member, 1), 'j1');
    await stage.ack(member, second);
    const rest = [];
    for (let count = 0; count < 2; count += 1) {
      const [[text, one]] = [...(await heads(stage, member, 1))] as [[string, TakenMessage]];
      rest.push(text);
      await stage.ack(member, one);
    }
    assert.deepEqual(rest.sort(), ['k1', 'k3']);
  })
  .driver('without order, messages of one key may be in flight together', async (stage) => {
    const driver = await stage.process();
    const member = await stage.join(driver);
    await stage.publish(driver, keyed('k1'), keyed('k2'));
    assert.deepEqual(textsOf(await stage.takeCount(member, 2)).sort(), ['k1', 'k2']);
  })
  .engine('two workers and failing handlers keep every key in order, one at a time', async (stage) => {
    const keys = ['a', 'b', 'c', 'd', 'e'];
    const handled = new Map<string, string[]>(keys.map((key) => [key, []]));
    const inFlight = new Set<string>();
    const overlaps: string[] = [];
    const [first, second] = [await stage.application(), await stage.application()];
    for (const ackline of [first, second]) {
      ackline.consume({ ...stage.consumeOptions(), order: 'key' }, async ({ message, deliveryCount }) => {
        const { key = '' } = message;
        const text = textOf(message);
        if (inFlight.has(key)) overlaps.push(text);
        inFlight.add(key);
        // Gives another delivery of this key the chance to overlap.
        await stage.turn();
        inFlight.delete(key);
        if (deliveryCount === 1 && text.endsWith('3')) throw new Error('the first time');
        handled.get(key)?.push(text);
      });
    }
    const texts = (key: string): string[] => Array.from({ length: 8 }, (_, index) => `${key}${index}`);
    for (let index = 0; index < 8; index += 1) {
      await stage.publish(first, ...keys.map((key) => keyed(`${key}${index}`)));
    }
    const all = (): boolean => [...handled.values()].every(({ length }) => length >= 8);
    await stage.until(all, () => `all handled: ${JSON.stringify([...handled])}`, { afterDelays: 10 });
    for (const key of keys) assert.deepEqual(handled.get(key), texts(key));
    assert.deepEqual(overlaps, []);
  });
