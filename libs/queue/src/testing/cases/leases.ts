import assert from 'node:assert/strict';
import { CasesOfPromise } from '../contract-case.js';
import { LeaseLostError } from '../../errors.js';
import type { Lease } from '../../queue-driver.js';
import { Gate } from '../gate.js';
import { textMessage, textMessages, textOf } from '../stage.js';

export const leases = new CasesOfPromise(3)
  .driver('a lease is renewed for as long as its worker lives', async (stage) => {
    const driver = await stage.process();
    const member = await stage.join(driver);
    await stage.publish(driver, textMessage('long'));
    const taken = await stage.takeOne(member);
    const other = await stage.join(await stage.process());
    const end = stage.now() + 2.5 * stage.harness.visibilityTimeoutMs;
    while (stage.now() < end) await stage.takeNothing(other, 'its worker lives');
    await stage.ack(member, taken);
  })
  .driver('a lease that was given back settles nothing', async (stage) => {
    const driver = await stage.process();
    const member = await stage.join(driver);
    await stage.publish(driver, textMessage('a'));
    const first = await stage.takeOne(member);
    await stage.within(member.release([first.lease]), 'release');
    const second = await stage.takeOne(member);
    await assert.rejects(stage.ack(member, first), LeaseLostError);
    await assert.rejects(stage.nack(member, first), LeaseLostError);
    await assert.rejects(stage.reject(member, first), LeaseLostError);
    await stage.ack(member, second);
  })
  .needing(
    'cutOff',
    'driver',
    'a worker cut off loses its leases, is told so, and its ack is refused',
    async (stage) => {
      const cut = await stage.process();
      const member = await stage.join(cut);
      const lost: Lease[] = [];
      member.onLeaseLost((lease) => lost.push(lease));
      await stage.publish(cut, ...textMessages('held', 'settled'));
      const taken = await stage.takeCount(member, 2);
      const held = taken.find(({ message }) => textOf(message) === 'held');
      assert.ok(held);
      await stage.ack(member, ...taken.filter((one) => one !== held));
      const reconnect = await stage.harness.cutOff?.(cut);
      const other = await stage.join(await stage.process());
      const again = await stage.takeOne(other, { afterTimeouts: 1 });
      assert.deepEqual([textOf(again.message), again.deliveryCount, again.previousEnd], ['held', 2, 'crashed']);
      await stage.until(() => lost.length > 0, 'the worker is told', { afterTimeouts: 1 });
      assert.deepEqual(lost, [held.lease], 'only what it held is lost');
      await reconnect?.();
      await assert.rejects(stage.ack(member, held), LeaseLostError);
      await stage.ack(other, again);
    },
  )
  .engine('a handler may run longer than the visibility timeout', async (stage) => {
    const [first, second] = [await stage.application(), await stage.application()];
    const deliveries: string[] = [];
    const slow = new Gate();
    let acked = false;
    for (const ackline of [first, second]) {
      ackline.consume(stage.consumeOptions(), async (delivery) => {
        deliveries.push(textOf(delivery.message));
        await slow.opened;
        await delivery.ack();
        acked = true;
      });
    }
    await stage.publish(first, textMessage('slow'));
    await stage.until(() => deliveries.length > 0, 'the message is delivered');
    const end = stage.now() + 2 * stage.harness.visibilityTimeoutMs;
    await stage.until(() => stage.now() >= end, 'the visibility timeout passes twice', { afterTimeouts: 1 });
    slow.open();
    await stage.until(() => acked, 'the message is acked');
    assert.deepEqual(deliveries, ['slow']);
  })
  .engine('a handler that runs longer than handlerTimeoutMs is aborted, its message delivered again', async (stage) => {
    const ackline = await stage.application();
    const aborted: unknown[] = [];
    const counts: number[] = [];
    const codes: (string | undefined)[] = [];
    const handlerTimeoutMs = 4 * stage.harness.delayMs;
    ackline.consume({ ...stage.consumeOptions(), handlerTimeoutMs }, async (delivery) => {
      counts.push(delivery.deliveryCount);
      codes.push(delivery.lastErrorCode);
      if (delivery.deliveryCount > 1) return;
      delivery.signal.addEventListener('abort', () => aborted.push(delivery.signal.reason));
      await new Gate().opened;
    });
    await stage.publish(ackline, textMessage('hangs'));
    await stage.until(() => counts.length === 2, 'the message is delivered again', { afterDelays: 6 });
    assert.deepEqual(
      [counts, codes],
      [
        [1, 2],
        [undefined, 'handler_timeout'],
      ],
    );
    assert.deepEqual(
      aborted.map((reason) => (reason as { code?: unknown }).code),
      ['handler_timeout'],
    );
  })
  .needing('cutOff', 'engine', 'a handler whose lease is lost is aborted, and its late ack refused', async (stage) => {
    const cut = await stage.process();
    const first = await stage.application({ driver: cut });
    const late = new Gate();
    const refusals: unknown[] = [];
    let signal: AbortSignal | undefined;
    first.consume(stage.consumeOptions(), async (delivery) => {
      ({ signal } = delivery);
      await late.opened;
      await delivery.ack().catch((error: unknown) => refusals.push(error));
    });
    await stage.publish(first, textMessage('a'));
    await stage.until(() => signal !== undefined, 'the message is delivered');
    const reconnect = await stage.harness.cutOff?.(cut);
    const second = await stage.application();
    const handled: string[] = [];
    second.consume(stage.consumeOptions(), ({ message, deliveryCount }) => {
      handled.push(`${textOf(message)} ${deliveryCount}`);
    });
    await stage.until(() => handled.length > 0, 'another worker gets the message', { afterTimeouts: 1 });
    await stage.until(() => signal?.aborted === true, 'the handler is aborted', { afterTimeouts: 1 });
    assert.ok(signal?.reason instanceof LeaseLostError, `aborted because of ${String(signal?.reason)}`);
    await reconnect?.();
    late.open();
    await stage.until(() => refusals.length > 0, 'the late ack is refused');
    assert.ok(refusals[0] instanceof LeaseLostError, `refused with ${String(refusals[0])}`);
    assert.deepEqual(handled, ['a 2']);
  });
