import assert from 'node:assert/strict';
import { CasesOfPromise } from '../contract-case.js';
import type { TakenMessage } from '../../queue-driver.js';
import { Gate } from '../gate.js';
import { textMessage, textMessages, textOf, textsOf } from '../stage.js';

const afterCrash = { afterTimeouts: 1 };
const standing = ({ message, deliveryCount, previousEnd }: TakenMessage): string =>
  `${textOf(message)} ${deliveryCount} ${previousEnd}`;

export const counts = new CasesOfPromise(4)
  .driver(
    'a message whose worker dies is delivered again with deliveryCount 2 and previousEnd crashed',
    async (stage) => {
      const doomed = await stage.process();
      const member = await stage.join(doomed);
      await stage.publish(doomed, textMessage('a'));
      assert.equal(standing(await stage.takeOne(member)), 'a 1 none');
      await stage.crash(doomed);
      const next = await stage.join(await stage.process());
      assert.equal(standing(await stage.takeOne(next, afterCrash)), 'a 2 crashed');
    },
  )
  .driver('count, first-seen time and last error survive nacks and crashes', async (stage) => {
    const doomed = await stage.process();
    const member = await stage.join(doomed);
    await stage.publish(doomed, textMessage('a'));
    const first = await stage.takeOne(member);
    await stage.nack(member, first, 0, 'relay_away');
    const second = await stage.takeOne(member);
    assert.equal(standing(second), 'a 2 nacked');
    await stage.crash(doomed);
    const next = await stage.join(await stage.process());
    const third = await stage.takeOne(next, afterCrash);
    assert.equal(standing(third), 'a 3 crashed');
    assert.deepEqual([second.lastErrorCode, third.lastErrorCode], ['relay_away', 'relay_away']);
    assert.deepEqual(
      [second.firstSeenAt, third.firstSeenAt].map((at) => at.getTime()),
      [first.firstSeenAt.getTime(), first.firstSeenAt.getTime()],
    );
    assert.equal(third.message.origin, first.message.origin);
  })
  .driver('suspects are taken one at a time, beside ordinary messages', async (stage) => {
    const doomed = await stage.process();
    const member = await stage.join(doomed);
    await stage.publish(doomed, ...textMessages('a', 'b', 'c'));
    await stage.takeCount(member, 3);
    await stage.crash(doomed);
    const driver = await stage.process();
    const next = await stage.join(driver);
    const seen: string[] = [];
    for (let held: TakenMessage | undefined; seen.length < 3;) {
      if (held !== undefined) await stage.ack(next, held);
      const answer = await stage.take(next, 10, afterCrash);
      assert.equal(answer.length, 1, 'a suspect comes alone in its answer');
      [held] = answer;
      assert.ok(held);
      seen.push(standing(held));
      await stage.publish(driver, textMessage('ordinary'));
      const beside = await stage.takeCount(next, 1);
      assert.deepEqual(textsOf(beside), ['ordinary'], 'a second suspect came while one was held');
      await stage.ack(next, ...beside);
    }
    assert.deepEqual(seen.sort(), ['a 2 crashed', 'b 2 crashed', 'c 2 crashed']);
  })
  .driver('only the one suspect under lease is blamed for a death', async (stage) => {
    const first = await stage.process();
    await stage.publish(first, textMessage('suspect'));
    await stage.takeOne(await stage.join(first));
    await stage.crash(first);
    const second = await stage.process();
    const member = await stage.join(second);
    await stage.takeOne(member, afterCrash);
    await stage.publish(second, textMessage('neighbour'));
    await stage.takeOne(member);
    await stage.crash(second);
    const third = await stage.join(await stage.process());
    const seen: string[] = [];
    for (let count = 0; count < 2; count += 1) {
      const taken = await stage.takeOne(third, afterCrash);
      seen.push(standing(taken));
      await stage.ack(third, taken);
    }
    assert.deepEqual(seen.sort(), ['neighbour 2 crashed', 'suspect 3 crashed-alone']);
  })
  .engine('a message that kills its process becomes a dead letter, and takes no neighbour with it', async (stage) => {
    const neighbours = ['n1', 'n2', 'n3', 'n4'];
    // Whether an ack that was under way at a death counted is for the store to say: who asked is dead.
    const handled = new Set<string>();
    const counted: number[] = [];
    const publisher = await stage.application();
    await stage.publish(publisher, ...textMessages('n1', 'n2', 'poison', 'n3', 'n4'));
    let deadLetters = 0;
    for (let lives = 0; deadLetters === 0; lives += 1) {
      assert.ok(lives < 8, `the poison killed ${lives} processes: ${counted.join()}`);
      const driver = await stage.process();
      const ackline = await stage.application({ driver });
      let dying = false;
      // The first process dies with neighbours in flight; from then on they may finish.
      const together = new Gate();
      ackline.consume({ ...stage.consumeOptions(), maxDeliveries: 3 }, async (delivery) => {
        const text = textOf(delivery.message);
        if (text === 'poison') {
          counted.push(delivery.deliveryCount);
          dying = true;
          await stage.crash(driver);
          await new Gate().opened;
        }
        if (lives === 0) await together.opened;
        if (dying) return;
        handled.add(text);
        await delivery.ack();
      });
      const over = async (): Promise<boolean> => {
        if (dying) return true;
        ({ deadLetters } = await publisher.stats(stage.queue, stage.group));
        return deadLetters > 0;
      };
      await stage.until(over, 'the poison is delivered, or dead', { afterTimeouts: 2 });
    }
    const survivor = await stage.application();
    survivor.consume(stage.consumeOptions(), ({ message }) => void handled.add(textOf(message)));
    let left = '';
    const nothingLeft = async (): Promise<boolean> => {
      const { ready, waiting, inFlight } = await publisher.stats(stage.queue, stage.group);
      left = `${ready} ready, ${waiting} waiting, ${inFlight} in flight, handled ${[...handled].join()}`;
      return ready + waiting + inFlight === 0;
    };
    await stage.until(nothingLeft, () => `the neighbours are acked: ${left}`, { afterTimeouts: 2 });
    assert.deepEqual([...handled].sort(), neighbours, 'each neighbour is handled');
    const dead: string[] = [];
    for await (const letter of publisher.deadLetters(stage.queue, stage.group).list()) {
      dead.push(`${textOf(letter)} ${letter.reason}`);
    }
    assert.deepEqual(dead, ['poison max_deliveries']);
    assert.deepEqual(counted.slice(0, 3), [1, 2, 3], 'deliveryCount counts the deaths');
  });
