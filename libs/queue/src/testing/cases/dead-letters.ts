import assert from 'node:assert/strict';
import { CasesOfPromise } from '../contract-case.js';
import { RejectError } from '../../errors.js';
import type { DeadLetter, GroupMember, QueueDriver } from '../../queue-driver.js';
import { textMessage, textMessages, textOf, textsOf, type Stage } from '../stage.js';

function deadLettersOf(stage: Stage, driver: QueueDriver): Promise<readonly DeadLetter[]> {
  return stage.within(driver.deadLetters(stage.queue, stage.group).list({}, { limit: 100 }), 'list the dead letters');
}

/** Publishes and rejects one message per error code. */
async function rejected(stage: Stage, driver: QueueDriver, ...codes: readonly string[]): Promise<GroupMember> {
  const member = await stage.join(driver);
  await stage.publish(
    driver,
    ...codes.map((code) => textMessage(code, { id: `${stage.group}-${code}`, key: `key-${code}` })),
  );
  for (const one of await stage.takeCount(member, codes.length)) {
    await stage.reject(member, one, textOf(one.message));
  }
  return member;
}

const codesOf = (letters: readonly DeadLetter[]): string[] => letters.map(({ errorCode }) => errorCode).sort();

export const deadLetters = new CasesOfPromise(6)
  .driver('a dead letter keeps the message whole, and says why, how often, when and whence', async (stage) => {
    const driver = await stage.process();
    const member = await stage.join(driver);
    const headers = { 'content-type': 'text/plain', traceparent: '00-aa-bb-01' };
    const published = { ...textMessage('', { key: 'k', headers }), payload: Uint8Array.of(0, 255, 128, 10) };
    await stage.publish(driver, published);
    const first = await stage.takeOne(member);
    await stage.nack(member, first);
    await stage.reject(member, await stage.takeOne(member), 'invalid_payload');
    const [letter, ...more] = await deadLettersOf(stage, driver);
    assert.ok(letter, 'it is there once reject has resolved');
    assert.equal(more.length, 0);
    assert.deepEqual([...letter.payload], [...published.payload]);
    assert.deepEqual({ ...letter.headers }, headers);
    const { id, key, queue, group, reason, errorCode, deliveryCount, redriveCount, origin } = letter;
    assert.deepEqual(
      { id, key, queue, group, reason, errorCode, deliveryCount, redriveCount, origin },
      {
        id: published.id,
        key: 'k',
        queue: stage.queue,
        group: stage.group,
        reason: 'rejected',
        errorCode: 'invalid_payload',
        deliveryCount: 2,
        redriveCount: 0,
        origin: first.message.origin,
      },
    );
    assert.equal(letter.publishedAt.getTime(), first.message.publishedAt.getTime());
    assert.equal(letter.firstSeenAt.getTime(), first.firstSeenAt.getTime());
    assert.ok(letter.deadAt >= letter.firstSeenAt);
    await stage.takeNothing(member, 'a dead letter is not delivered');
  })
  .driver('a redriven dead letter is delivered again, whole, under its id, counted anew', async (stage) => {
    const driver = await stage.process();
    const member = await stage.join(driver);
    const published = textMessage('again', { key: 'k', headers: { h: '1' } });
    await stage.publish(driver, published);
    await stage.reject(member, await stage.takeOne(member));
    const store = driver.deadLetters(stage.queue, stage.group);
    assert.equal(await stage.within(store.redrive([published.id, 'not there'], 'ops'), 'redrive'), 1);
    assert.deepEqual(await deadLettersOf(stage, driver), []);
    const again = await stage.takeOne(member);
    const { id, key, headers } = again.message;
    assert.deepEqual([id, key, { ...headers }], [published.id, 'k', { h: '1' }]);
    assert.deepEqual([textOf(again.message), again.deliveryCount], ['again', 1]);
    await stage.reject(member, again, 'still_hopeless');
    const [letter] = await deadLettersOf(stage, driver);
    assert.deepEqual(
      [letter?.redriveCount, letter?.errorCode, { ...letter?.headers }],
      [1, 'still_hopeless', { h: '1' }],
    );
    const audit = await stage.within(store.audit(10), 'audit');
    assert.deepEqual(
      audit.map(({ actor, action, messageId }) => [actor, action, messageId]),
      [['ops', 'redrive', published.id]],
    );
  })
  .driver('a discarded dead letter is gone for good, and the audit says who did it', async (stage) => {
    const driver = await stage.process();
    const member = await rejected(stage, driver, 'bad', 'worse');
    const store = driver.deadLetters(stage.queue, stage.group);
    const bad = `${stage.group}-bad`;
    assert.equal(await stage.within(store.discard([bad], 'ops'), 'discard'), 1);
    assert.equal(await stage.within(store.discard([bad], 'ops'), 'discard'), 0);
    assert.equal(await stage.within(store.redrive([bad], 'ops'), 'redrive'), 0);
    assert.deepEqual(codesOf(await deadLettersOf(stage, driver)), ['worse']);
    await stage.within(store.redrive([`${stage.group}-worse`], 'other'), 'redrive');
    assert.deepEqual(textsOf(await stage.takeCount(member, 1)), ['worse']);
    const audit = await stage.within(store.audit(10), 'audit');
    assert.deepEqual(
      audit.map(({ actor, action }) => `${actor} ${action}`),
      ['other redrive', 'ops discard'],
    );
  })
  .driver('dead letters are found by filter, counted by error, read page by page', async (stage) => {
    const driver = await stage.process();
    await rejected(stage, driver, 'a', 'b', 'c');
    const store = driver.deadLetters(stage.queue, stage.group);
    const all = await deadLettersOf(stage, driver);
    assert.deepEqual(codesOf(all), ['a', 'b', 'c']);
    const list = (filter: Parameters<typeof store.list>[0]) => stage.within(store.list(filter, { limit: 100 }), 'list');
    assert.deepEqual(codesOf(await list({ errorCode: 'b' })), ['b']);
    assert.deepEqual(codesOf(await list({ ids: [`${stage.group}-a`, `${stage.group}-c`] })), ['a', 'c']);
    assert.deepEqual(codesOf(await list({ key: 'key-c' })), ['c']);
    assert.deepEqual(codesOf(await list({ key: 'key-c', errorCode: 'b' })), []);
    assert.deepEqual(codesOf(await list({ reason: 'max_deliveries' })), []);
    assert.deepEqual(codesOf(await list({ deadBefore: new Date(0) })), []);
    assert.deepEqual(codesOf(await list({ deadAfter: new Date(0) })), ['a', 'b', 'c']);
    const paged: DeadLetter[] = [];
    for (let after: DeadLetter | undefined; paged.length < 4; after = paged.at(-1)) {
      const page = await stage.within(store.list({}, { limit: 1, ...(after && { after }) }), 'list');
      if (page.length === 0) break;
      paged.push(...page);
    }
    assert.deepEqual(
      paged.map(({ id }) => id),
      all.map(({ id }) => id),
    );
    const counts = await stage.within(store.countByError({}), 'count');
    assert.deepEqual(counts.map(({ errorCode, count }) => `${errorCode} ${count}`).sort(), ['a 1', 'b 1', 'c 1']);
    assert.equal((await driver.stats(stage.queue, stage.group)).deadLetters, 3);
  })
  .driver('a dead letter outlives the worker that made it', async (stage) => {
    const driver = await stage.process();
    await rejected(stage, driver, 'bad');
    await stage.crash(driver);
    const letters = await deadLettersOf(stage, await stage.process());
    assert.deepEqual(codesOf(letters), ['bad']);
  })
  .engine(
    'after maxDeliveries a failing message is a dead letter; redriven by filter, it is handled',
    async (stage) => {
      const ackline = await stage.application();
      let mended = false;
      const acked: string[] = [];
      const counts: number[] = [];
      ackline.consume({ ...stage.consumeOptions(), maxDeliveries: 3 }, async (delivery) => {
        counts.push(delivery.deliveryCount);
        const error = Object.assign(new Error('no'), { code: textOf(delivery.message) });
        if (!mended) throw error;
        await delivery.ack();
        acked.push(textOf(delivery.message));
      });
      await stage.publish(ackline, ...textMessages('code_a', 'code_b'));
      const dead = ackline.deadLetters(stage.queue, stage.group);
      const bothDead = async (): Promise<boolean> => (await dead.countByError()).length === 2;
      await stage.until(bothDead, 'both are dead letters', { afterDelays: 4 });
      assert.deepEqual(counts.sort(), [1, 1, 2, 2, 3, 3]);
      for await (const { reason, deliveryCount, errorCode, payload } of dead.list()) {
        assert.deepEqual([reason, deliveryCount, errorCode], ['max_deliveries', 3, textOf({ payload })]);
      }
      mended = true;
      const redriven = await stage.within(dead.redrive({ errorCode: 'code_a' }, { actor: 'ops' }), 'redrive');
      assert.equal(redriven, 1);
      await stage.until(() => acked.length === 1, 'the redriven one is handled');
      assert.deepEqual(acked, ['code_a']);
      assert.deepEqual(await stage.within(dead.countByError(), 'count'), [{ errorCode: 'code_b', count: 1 }]);
    },
  )
  .engine('a handler that throws a RejectError makes a dead letter of the first delivery', async (stage) => {
    const ackline = await stage.application();
    let deliveries = 0;
    ackline.consume(stage.consumeOptions(), () => {
      deliveries += 1;
      throw new RejectError('invalid_json');
    });
    await stage.publish(ackline, textMessage('{"broken'));
    const dead = ackline.deadLetters(stage.queue, stage.group);
    const isDead = async (): Promise<boolean> => (await dead.countByError()).length === 1;
    await stage.until(isDead, 'it is a dead letter');
    for await (const letter of dead.list()) {
      assert.deepEqual([textOf(letter), letter.errorCode, letter.reason], ['{"broken', 'invalid_json', 'rejected']);
    }
    assert.equal(deliveries, 1);
  });
