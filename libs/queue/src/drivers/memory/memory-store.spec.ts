import { BrokerUnavailableError, InvalidMessageError, InvalidOptionError } from '../../errors.js';
import type { DeliveryOrder, GroupMember, QueueDriver } from '../../queue-driver.js';
import { textMessage, textOf } from '../../testing/stage.js';
import { MemoryStore } from './memory-store.js';
import { VirtualClock } from './virtual-clock.js';

const never = new AbortController().signal;
const all = { messages: 1_000, bytes: 1_000_000_000 };

function join(driver: QueueDriver, order: DeliveryOrder = { by: 'none' }): Promise<GroupMember> {
  return driver.join({ queue: 'q', group: 'g', from: 'beginning', order, visibilityTimeoutMs: 30_000 });
}

describe('a memory store', () => {
  it('lets nothing that a crashed driver still does have an effect', async () => {
    const clock = new VirtualClock();
    const store = new MemoryStore({ clock });
    const doomed = store.driver();
    const member = await join(doomed);
    const lost: unknown[] = [];
    member.onLeaseLost((lease) => lost.push(lease));
    await doomed.publish('q', [textMessage('a'), textMessage('b')]);
    const [a] = await member.take({ messages: 1, bytes: 1 }, never);
    const [b] = await member.take({ messages: 1, bytes: 1 }, never);
    const waiting = member.take(all, never);
    store.crash(doomed);
    await expect(waiting).rejects.toThrow(BrokerUnavailableError);
    await expect(member.settle(a!.lease, { type: 'ack' })).rejects.toThrow(BrokerUnavailableError);
    await expect(member.release([b!.lease])).rejects.toThrow(BrokerUnavailableError);
    await expect(doomed.publish('q', [textMessage('c')])).rejects.toThrow(BrokerUnavailableError);
    await member.leave(0);
    await doomed.close(0);
    const observer = store.driver();
    expect(await observer.stats('q', 'g')).toMatchObject({ ready: 0, inFlight: 2 });
    await clock.advance(30_000);
    expect(await observer.stats('q', 'g')).toMatchObject({ ready: 2, inFlight: 0 });
    expect(lost).toEqual([]);
  });

  it('keeps a lease of a crashed worker until its visibility timeout, to the millisecond', async () => {
    const clock = new VirtualClock();
    const store = new MemoryStore({ clock });
    const doomed = store.driver();
    await doomed.publish('q', [textMessage('a')]);
    const member = await join(doomed);
    await clock.advance(15_000);
    await member.take(all, never);
    store.crash(doomed);
    const next = await join(store.driver());
    const takeAll = async () => {
      const stop = new AbortController();
      const answer = next.take(all, stop.signal);
      await clock.advance(0);
      stop.abort();
      return answer;
    };
    await clock.advance(29_999);
    expect(await takeAll()).toEqual([]);
    await clock.advance(1);
    expect((await takeAll()).map(({ message }) => textOf(message))).toEqual(['a']);
  });

  it('shares no bytes with those who publish and those who handle', async () => {
    const driver = new MemoryStore().driver();
    const message = textMessage('original');
    await driver.publish('q', [message]);
    message.payload.fill(0);
    const member = await join(driver);
    const [first] = await member.take(all, never);
    first!.message.payload.fill(0);
    await member.release([first!.lease]);
    const [again] = await member.take(all, never);
    expect(textOf(again!.message)).toBe('original');
    await driver.close(0);
  });

  it('refuses a payload that is too large, and stores none of the batch', async () => {
    const driver = new MemoryStore().driver();
    const large = { ...textMessage(''), payload: new Uint8Array(driver.features.maxPayloadBytes + 1) };
    await expect(driver.publish('q', [textMessage('a'), large])).rejects.toThrow(InvalidMessageError);
    expect(await driver.queues()).toEqual([]);
  });

  it('crashes only its own drivers, and keeps messages for longer than no time', () => {
    expect(() => new MemoryStore().crash(new MemoryStore().driver())).toThrow(InvalidOptionError);
    expect(() => new MemoryStore({ retentionMs: 0 })).toThrow(InvalidOptionError);
  });

  it('shows an ephemeral reader a delayed message when it is due, and later ones of its key behind it', async () => {
    const clock = new VirtualClock();
    const driver = new MemoryStore({ clock }).driver();
    const reader = await driver.openEphemeral({ queue: 'q', from: 'beginning' });
    await driver.publish('q', [
      textMessage('k1', { key: 'k', delayMs: 500 }),
      textMessage('k2', { key: 'k' }),
      textMessage('j1', { key: 'j' }),
      textMessage('k3', { key: 'k', delayMs: 200 }),
    ]);
    const read = async () => (await reader.take(all, never)).map(textOf);
    expect(await read()).toEqual(['j1']);
    await clock.advance(499);
    await driver.publish('q', [textMessage('j2', { key: 'j' })]);
    expect(await read()).toEqual(['j2']);
    await clock.advance(1);
    expect(await read()).toEqual(['k1', 'k2', 'k3']);
    await driver.publish('q', [textMessage('k4', { key: 'k' })]);
    expect(await read()).toEqual(['k4']);
  });

  it('forgets what is past its retention, however much was published', async () => {
    const clock = new VirtualClock();
    const driver = new MemoryStore({ clock, retentionMs: 1_000 }).driver();
    for (let second = 0; second < 10; second += 1) {
      await driver.publish('q', [textMessage(`${second}`), textMessage(`${second} too`)]);
      await clock.advance(400);
    }
    const reader = await driver.openEphemeral({ queue: 'q', from: 'beginning' });
    const kept = await reader.take(all, never);
    expect(kept.map(textOf)).toEqual(['8', '8 too', '9', '9 too']);
  });

  // Each take that looked through what is unsettled would make this 10^10 steps: minutes instead of a second or two.
  it.each<[string, DeliveryOrder]>([
    ['without order', { by: 'none' }],
    ['in key order', { by: 'key', whenHeadWaits: 'block' }],
    ['in key order, heads overtaken', { by: 'key', whenHeadWaits: 'overtake' }],
  ])('hands out 100,000 messages %s', async (_, order) => {
    const driver = new MemoryStore().driver();
    const member = await join(driver, order);
    const messages = Array.from({ length: 100_000 }, (_, index) =>
      textMessage(`${index}`, { key: `${index % 5_000}` }),
    );
    await driver.publish('q', messages);
    let done = 0;
    while (done < messages.length) {
      const taken = await member.take({ messages: 100, bytes: 1_000_000 }, never);
      // Every tenth fails once, so that what waits is looked through too.
      for (const { lease, message, deliveryCount } of taken) {
        const fails = deliveryCount === 1 && textOf(message).endsWith('7');
        await member.settle(lease, fails ? { type: 'nack', delayMs: 1, errorCode: 'once' } : { type: 'ack' });
        if (!fails) done += 1;
      }
    }
    expect(await driver.stats('q', 'g')).toMatchObject({ ready: 0, waiting: 0, inFlight: 0, deadLetters: 0 });
    await driver.close(0);
  });
});
