import { Ackline, InvalidOptionError, MAX_DELAY_MS, RedeliverError, jsonMessage } from 'ackline';
import type { QueueEvent } from 'ackline';
import { MemoryStore, VirtualClock } from 'ackline/memory';

/** Delivers one message to `handler` and gives what the engine told of it. */
async function eventsOf(handler: Parameters<Ackline['consume']>[1]): Promise<QueueEvent[]> {
  const clock = new VirtualClock();
  const events: QueueEvent[] = [];
  const ackline = new Ackline({
    driver: new MemoryStore({ clock }).driver(),
    clock,
    observer: (event) => events.push(event),
  });
  ackline.consume({ queue: 'q', group: 'g' }, handler);
  await ackline.publish('q', jsonMessage(1));
  for (let step = 0; step < 50 && !events.some(({ type }) => type === 'nacked'); step++) await clock.advance(10);
  const closed = ackline.close(1_000);
  await clock.advance(2_000);
  await closed;
  return events;
}

describe('the delay until the next delivery', () => {
  it.each([Number.NaN, Number.POSITIVE_INFINITY, -5, MAX_DELAY_MS + 1])(
    'refuses nack({ delayMs: %p }) and settles nothing by it',
    async (delayMs) => {
      let refused: unknown;
      const events = await eventsOf(async (delivery) => {
        refused = await delivery.nack({ delayMs }).catch((error: unknown) => error);
        await delivery.nack({ delayMs: 7 });
      });
      expect(refused).toBeInstanceOf(InvalidOptionError);
      expect(events.find(({ type }) => type === 'nacked')).toMatchObject({ delayMs: 7 });
    },
  );

  it.each([
    [Number.POSITIVE_INFINITY, MAX_DELAY_MS],
    [-5, 0],
  ])('bounds the %p of a RedeliverError to %p', async (asked, given) => {
    const events = await eventsOf(() => {
      throw new RedeliverError('later', asked);
    });
    expect(events.find(({ type }) => type === 'nacked')).toMatchObject({ delayMs: given, errorCode: 'later' });
  });

  it('leaves it to the backoff where a RedeliverError names no number', async () => {
    const events = await eventsOf(() => {
      throw new RedeliverError('later', Number.NaN);
    });
    const nacked = events.find(({ type }) => type === 'nacked') as Extract<QueueEvent, { type: 'nacked' }>;
    expect(nacked.delayMs).toBeGreaterThanOrEqual(0);
    expect(nacked.delayMs).toBeLessThanOrEqual(1_000);
  });
});
