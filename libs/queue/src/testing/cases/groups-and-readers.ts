import assert from 'node:assert/strict';
import { CasesOfPromise } from '../contract-case.js';
import type { EphemeralReader, EphemeralStart, QueueDriver } from '../../queue-driver.js';
import { textMessage, textMessages, textOf, textsOf, type Stage } from '../stage.js';

async function openReader(stage: Stage, driver: QueueDriver, from: EphemeralStart): Promise<EphemeralReader> {
  return stage.within(driver.openEphemeral({ queue: stage.queue, from }), 'open a reader');
}

/** What the reader sees until `count` are seen. */
async function read(stage: Stage, reader: EphemeralReader, count: number): Promise<string[]> {
  const seen: string[] = [];
  const signal = AbortSignal.timeout(4 * stage.harness.deadlineMs);
  const look = async (): Promise<boolean> => {
    seen.push(...(await reader.take({ messages: 3, bytes: 1_000 }, signal)).map(textOf));
    return seen.length >= count;
  };
  await stage.until(look, () => `a reader sees ${count} messages, not ${seen.join()}`);
  return seen;
}

export const groupsAndReaders = new CasesOfPromise(11)
  .driver('every group gets every message, and a redelivery to one is not seen by another', async (stage) => {
    const driver = await stage.process();
    const one = await stage.join(driver, { group: `${stage.group}-1` });
    const two = await stage.join(driver, { group: `${stage.group}-2` });
    await stage.publish(driver, ...textMessages('a', 'b'));
    const [ofOne, ofTwo] = [await stage.takeCount(one, 2), await stage.takeCount(two, 2)];
    assert.deepEqual(
      [textsOf(ofOne).sort(), textsOf(ofTwo).sort()],
      [
        ['a', 'b'],
        ['a', 'b'],
      ],
    );
    await stage.ack(two, ...ofTwo);
    for (const taken of ofOne) {
      if (textOf(taken.message) === 'a') await stage.nack(one, taken);
      else await stage.reject(one, taken);
    }
    const again = await stage.takeOne(one);
    assert.deepEqual([textOf(again.message), again.deliveryCount], ['a', 2]);
    await stage.takeNothing(two, 'the redelivery is the other group’s');
    const store = driver.deadLetters(stage.queue, `${stage.group}-1`);
    const letters = await stage.within(store.list({}, { limit: 10 }), 'list');
    await stage.within(
      store.redrive(
        letters.map(({ id }) => id),
        'ops',
      ),
      'redrive',
    );
    assert.deepEqual(textsOf(await stage.takeCount(one, 1)), ['b']);
    await stage.takeNothing(two, 'the redrive is the other group’s');
  })
  .driver('the workers of one group share its messages', async (stage) => {
    const driver = await stage.process();
    const members = [await stage.join(driver), await stage.join(await stage.process())];
    const texts = Array.from({ length: 12 }, (_, index) => `m${index}`);
    await stage.publish(driver, ...textMessages(...texts));
    const seen: string[] = [];
    const { signal } = stage;
    const look = async (): Promise<boolean> => {
      for (const member of members) {
        const taken = await member.take({ messages: 2, bytes: 1_000 }, signal);
        seen.push(...textsOf(taken));
        await stage.ack(member, ...taken);
      }
      return seen.length >= 12;
    };
    await stage.until(look, () => `12 taken: ${seen.join()}`);
    assert.deepEqual(seen.sort(), texts.sort());
    for (const member of members) await stage.takeNothing(member, 'all are acked');
  })
  .driver('ephemeral readers each see everything from their start on', async (stage) => {
    const driver = await stage.process();
    await stage.publish(driver, ...['a', 'b', 'c', 'd'].map((text) => textMessage(text, { key: 'k' })));
    const latest = await openReader(stage, driver, 'latest');
    const beginning = await openReader(stage, await stage.process(), 'beginning');
    const lastTwo = await openReader(stage, driver, { last: 2 });
    await stage.publish(driver, textMessage('e', { key: 'k' }));
    assert.deepEqual(await read(stage, beginning, 5), ['a', 'b', 'c', 'd', 'e']);
    assert.deepEqual(await read(stage, lastTwo, 3), ['c', 'd', 'e']);
    assert.deepEqual(await read(stage, latest, 1), ['e']);
    await stage.publish(driver, textMessage('f', { key: 'k' }));
    for (const reader of [latest, beginning, lastTwo]) assert.deepEqual(await read(stage, reader, 1), ['f']);
  })
  .driver('an ephemeral reader takes nothing from groups, and leaves nothing behind', async (stage) => {
    const driver = await stage.process();
    const member = await stage.join(driver);
    const reader = await openReader(stage, await stage.process(), 'beginning');
    await stage.publish(driver, textMessage('a'));
    assert.deepEqual(await read(stage, reader, 1), ['a']);
    assert.deepEqual(textsOf(await stage.takeCount(member, 1)), ['a']);
    const { deadlineMs } = stage.harness;
    await stage.within(Promise.all([reader.close(deadlineMs), reader.close(deadlineMs)]), 'close twice');
    const queues = await stage.within(driver.queues(), 'list the queues');
    assert.deepEqual(queues.find(({ queue }) => queue === stage.queue)?.groups, [stage.group]);
  })
  .needing('cutOff', 'driver', 'an ephemeral reader misses nothing while it is cut off', async (stage) => {
    const driver = await stage.process();
    const cut = await stage.process();
    const reader = await openReader(stage, cut, 'latest');
    await stage.publish(driver, textMessage('a'));
    assert.deepEqual(await read(stage, reader, 1), ['a']);
    const reconnect = await stage.harness.cutOff?.(cut);
    await stage.publish(driver, textMessage('b'));
    await reconnect?.();
    await stage.publish(driver, textMessage('c'));
    const seen: string[] = [];
    const { signal } = stage;
    const look = async (): Promise<boolean> => {
      seen.push(...(await reader.take({ messages: 3, bytes: 1_000 }, signal).catch(() => [])).map(textOf));
      return seen.length >= 2;
    };
    await stage.until(look, () => `b and c are seen: ${seen.join()}`);
    assert.deepEqual(seen.sort(), ['b', 'c']);
  })
  .engine('every tail sees every message, and a group beside it handles each once', async (stage) => {
    const ackline = await stage.application();
    const [first, second]: [string[], string[]] = [[], []];
    const handled: string[] = [];
    const tails = [first, second].map((seen) =>
      ackline.tail({ queue: stage.queue, from: 'beginning' }, (message) => void seen.push(textOf(message))),
    );
    ackline.consume(stage.consumeOptions(), ({ message }) => void handled.push(textOf(message)));
    await stage.publish(ackline, ...textMessages('a', 'b', 'c'));
    const all = (): boolean => [first, second, handled].every(({ length }) => length >= 3);
    await stage.until(all, () => `all see all: ${JSON.stringify([first, second, handled])}`);
    for (const seen of [first, second, handled]) assert.deepEqual(seen.sort(), ['a', 'b', 'c']);
    await stage.within(Promise.all(tails.map((tail) => tail.close(stage.harness.deadlineMs))), 'close the tails');
  });
