import assert from 'node:assert/strict';
import { CasesOfPromise } from '../contract-case.js';
import { textMessage, textOf } from '../stage.js';

export const messageIds = new CasesOfPromise(12)
  .driver('a message keeps its id through nack, crash, dead letter and redrive', async (stage) => {
    const doomed = await stage.process();
    const member = await stage.join(doomed);
    const { id, ...message } = textMessage('a', { id: `${stage.group}/order 4711` });
    await stage.publish(doomed, { id, ...message });
    const ids: string[] = [];
    const first = await stage.takeOne(member);
    await stage.nack(member, first);
    const second = await stage.takeOne(member);
    await stage.crash(doomed);
    const driver = await stage.process();
    const next = await stage.join(driver);
    const third = await stage.takeOne(next, { afterTimeouts: 1 });
    await stage.reject(next, third);
    const store = driver.deadLetters(stage.queue, stage.group);
    const letters = await stage.within(store.list({}, { limit: 10 }), 'list');
    await stage.within(store.redrive([id], 'ops'), 'redrive');
    const fourth = await stage.takeOne(next);
    ids.push(...[first, second, third, fourth].map(({ message }) => message.id), ...letters.map((letter) => letter.id));
    assert.deepEqual(ids, [id, id, id, id, id]);
  })
  .driver('a repeated id is two messages to the queue: to deduplicate is the handler’s choice', async (stage) => {
    const driver = await stage.process();
    const member = await stage.join(driver);
    const message = textMessage('a');
    await stage.publish(driver, message);
    await stage.publish(driver, message);
    const taken = await stage.takeCount(member, 2);
    await stage.nack(member, taken[0] as (typeof taken)[0]);
    await stage.ack(member, taken[1] as (typeof taken)[0]);
    const again = await stage.takeOne(member);
    assert.deepEqual([again.message.id, again.deliveryCount], [message.id, 2]);
    await stage.ack(member, again);
  })
  .driver('two messages of one id can both become dead letters, and come back under it', async (stage) => {
    const driver = await stage.process();
    const member = await stage.join(driver);
    const message = textMessage('a');
    await stage.publish(driver, message, message, textMessage('b'));
    for (const one of await stage.takeCount(member, 3)) await stage.reject(member, one);
    const store = driver.deadLetters(stage.queue, stage.group);
    const letters = await stage.within(store.list({ ids: [message.id] }, { limit: 10 }), 'list');
    assert.ok(letters.length > 0 && letters.every(({ id }) => id === message.id));
    await stage.within(store.redrive([message.id], 'ops'), 'redrive');
    const again = await stage.takeOne(member);
    assert.deepEqual([again.message.id, textOf(again.message)], [message.id, 'a']);
  })
  .engine('publish says the ids: the producer’s, else new UUIDv7s, and handlers see them', async (stage) => {
    const ackline = await stage.application();
    const seen = new Map<string, string>();
    ackline.consume(stage.consumeOptions(), ({ message }) => void seen.set(textOf(message), message.id));
    const payload = (text: string): Uint8Array => new TextEncoder().encode(text);
    const own = { id: 'own id', payload: payload('own') };
    const messages = [own, { payload: payload('made') }, { payload: payload('made too') }];
    const ids = await stage.within(ackline.publish(stage.queue, messages), 'publish');
    await stage.until(() => seen.size === 3, 'all three are handled');
    assert.deepEqual(ids, [seen.get('own'), seen.get('made'), seen.get('made too')]);
    assert.equal(ids[0], 'own id');
    for (const id of ids.slice(1))
      assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.notEqual(ids[1], ids[2]);
  });
