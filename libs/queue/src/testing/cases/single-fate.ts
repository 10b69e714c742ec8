import assert from 'node:assert/strict';
import { CasesOfPromise } from '../contract-case.js';
import { Gate } from '../gate.js';
import { textMessage, textMessages, textOf, textsOf, type Stage } from '../stage.js';

async function sixTaken(stage: Stage) {
  const driver = await stage.process();
  const member = await stage.join(driver);
  await stage.publish(driver, ...textMessages('a', 'b', 'c', 'd', 'e', 'f'));
  const taken = await stage.takeCount(member, 6);
  const of = (text: string) => {
    const found = taken.find(({ message }) => textOf(message) === text);
    assert.ok(found, `${text} was not delivered`);
    return found;
  };
  return { driver, member, of };
}

export const singleFate = new CasesOfPromise(2)
  .driver('a settlement waits for no other message’s, whatever their order', async (stage) => {
    const { member, of } = await sixTaken(stage);
    await stage.ack(member, of('f'));
    await stage.reject(member, of('d'));
    await stage.nack(member, of('e'));
    await stage.ack(member, of('b'));
    await stage.ack(member, of('a'), of('c'));
    assert.deepEqual(textsOf(await stage.takeCount(member, 1)), ['e']);
    await stage.takeNothing(member, 'only e was nacked');
  })
  .driver('settling later messages decides nothing about earlier ones', async (stage) => {
    const { driver, member, of } = await sixTaken(stage);
    await stage.ack(member, of('b'), of('d'), of('f'));
    await stage.crash(driver);
    const next = await stage.join(await stage.process());
    const again: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      const one = await stage.takeOne(next, { afterTimeouts: 1 });
      again.push(textOf(one.message));
      await stage.ack(next, one);
    }
    assert.deepEqual(again.sort(), ['a', 'c', 'e']);
    await stage.takeNothing(next, 'b, d, f were acked');
  })
  .driver('new messages come while earlier ones are held', async (stage) => {
    const { driver, member } = await sixTaken(stage);
    await stage.publish(driver, textMessage('g'));
    assert.deepEqual(textsOf(await stage.takeCount(member, 1)), ['g']);
  })
  .engine('a slow message delays no other', async (stage) => {
    const ackline = await stage.application();
    const slow = new Gate();
    const acked: string[] = [];
    ackline.consume({ ...stage.consumeOptions(), concurrency: 4 }, async (delivery) => {
      const text = textOf(delivery.message);
      if (text === 'slow') await slow.opened;
      await delivery.ack();
      acked.push(text);
    });
    const fast = Array.from({ length: 40 }, (_, index) => `fast ${index}`);
    await stage.publish(ackline, ...textMessages('slow', ...fast));
    await stage.until(
      () => acked.length === 40,
      () => `40 acked beside the slow one, not ${acked.length}`,
    );
    assert.ok(!acked.includes('slow'));
    slow.open();
    await stage.until(() => acked.includes('slow'), 'the slow one is acked too');
  })
  .engine('a message that fails and one that is hopeless leave the others alone', async (stage) => {
    const ackline = await stage.application();
    const deliveries: string[] = [];
    ackline.consume({ ...stage.consumeOptions(), maxDeliveries: 2 }, async (delivery) => {
      const text = textOf(delivery.message);
      deliveries.push(text);
      if (text === 'failing') throw new Error('as always');
      if (text === 'hopeless') await delivery.reject({ errorCode: 'hopeless' });
    });
    await stage.publish(ackline, ...textMessages('failing', 'a', 'hopeless', 'b', 'c'));
    const settled = async (): Promise<boolean> => {
      const { ready, waiting, inFlight, deadLetters } = await ackline.stats(stage.queue, stage.group);
      return ready + waiting + inFlight === 0 && deadLetters === 2;
    };
    await stage.until(settled, () => `all settled: ${deliveries.join()}`, { afterDelays: 2 });
    assert.deepEqual(deliveries.sort(), ['a', 'b', 'c', 'failing', 'failing', 'hopeless']);
  });
