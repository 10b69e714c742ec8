import assert from 'node:assert/strict';
import { CasesOfPromise } from '../contract-case.js';
import { textMessage, textMessages, textOf, textsOf } from '../stage.js';

export const retention = new CasesOfPromise(14)
  .driver('a group created later starts at the beginning, also with what others have acked', async (stage) => {
    const driver = await stage.process();
    const first = await stage.join(driver, { group: `${stage.group}-1` });
    await stage.publish(driver, ...textMessages('a', 'b', 'c'));
    await stage.ack(first, ...(await stage.takeCount(first, 3)));
    const later = await stage.join(await stage.process(), { group: `${stage.group}-2` });
    assert.deepEqual(textsOf(await stage.takeCount(later, 3)).sort(), ['a', 'b', 'c']);
    await stage.takeNothing(later, 'there are no more');
  })
  .driver('a group that asks for latest starts after what was published, and keeps that start', async (stage) => {
    const driver = await stage.process();
    await stage.publish(driver, textMessage('before'));
    const member = await stage.join(driver, { from: 'latest' });
    await stage.publish(driver, textMessage('after'));
    const taken = await stage.takeCount(member, 1);
    assert.deepEqual(textsOf(taken), ['after']);
    await stage.ack(member, ...taken);
    await member.leave(stage.harness.deadlineMs);
    await stage.publish(driver, textMessage('while away'));
    const back = await stage.join(driver, { from: 'latest' });
    assert.deepEqual(textsOf(await stage.takeCount(back, 1)), ['while away']);
    await stage.takeNothing(back, 'the group has its place by now');
  })
  .engine('what was published before its group ever existed is handled', async (stage) => {
    const ackline = await stage.application();
    await stage.publish(ackline, ...textMessages('a', 'b', 'c'));
    const handled: string[] = [];
    ackline.consume(stage.consumeOptions(), ({ message }) => void handled.push(textOf(message)));
    await stage.until(
      () => handled.length >= 3,
      () => `three are handled: ${handled.join()}`,
    );
    assert.deepEqual(handled.sort(), ['a', 'b', 'c']);
  })
  .needing(
    'passRetention',
    'driver',
    'past retention a message is gone for new groups, and kept where it waits or is leased',
    async (stage) => {
      const driver = await stage.process();
      const first = await stage.join(driver, { group: `${stage.group}-1` });
      await stage.publish(driver, ...textMessages('done', 'waits', 'held'));
      const taken = await stage.takeCount(first, 3);
      const of = (text: string) => taken.filter(({ message }) => textOf(message) === text);
      await stage.ack(first, ...of('done'));
      for (const one of of('waits')) await stage.nack(first, one, stage.harness.delayMs);
      await stage.harness.passRetention?.();
      const later = await stage.join(driver, { group: `${stage.group}-2` });
      await stage.publish(driver, textMessage('new'));
      const seen: string[] = [];
      // What the first group has not settled is still in the store; whether a new group sees it is the store's choice.
      while (!seen.includes('new')) seen.push(...textsOf(await stage.take(later)));
      assert.ok(!seen.includes('done'), `a new group was given ${seen.join()}`);
      const rest = await stage.takeCount(first, 2, { afterDelays: 1 });
      assert.deepEqual(textsOf(rest).sort(), ['new', 'waits']);
      await stage.ack(first, ...rest, ...of('held'));
    },
  );
