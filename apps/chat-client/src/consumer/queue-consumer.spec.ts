import { roomEventMessage, type RoomEvent } from '@eticket/chat-room';
import { eventually } from '@eticket/service/testing';
import { Ackline } from 'ackline';
import { MemoryStore } from 'ackline/memory';
import type { ConsumerListener, Start } from './consumer.js';
import { QueueConsumer } from './queue-consumer.js';

const said = (username: string, message: string): RoomEvent => ({
  type: 'said',
  version: 1,
  username,
  session: username,
  message,
});

class Heard implements ConsumerListener {
  readonly texts: string[] = [];
  readonly notices: string[] = [];
  onMessage({ event }: Parameters<ConsumerListener['onMessage']>[0]): void {
    if (event.type === 'said') this.texts.push(event.message);
  }
  onUnreadable(): void {
    this.notices.push('unreadable');
  }
  onInterrupted(): void {
    this.notices.push('interrupted');
  }
  onResumed(): void {
    this.notices.push('resumed');
  }
}

describe('the reader of the room', () => {
  let store: MemoryStore;
  let publisher: Ackline;
  const consumers: QueueConsumer[] = [];
  beforeEach(() => {
    store = new MemoryStore();
    publisher = new Ackline({ driver: store.driver() });
  });
  afterEach(async () => {
    await Promise.all(consumers.splice(0).map((consumer) => consumer.close(1_000)));
    await publisher.close();
  });

  async function read(from: Start): Promise<Heard> {
    const consumer = new QueueConsumer(store.driver(), 'room');
    consumers.push(consumer);
    const heard = new Heard();
    await consumer.start(from, heard);
    return heard;
  }
  const say = (message: string, id?: string) => publisher.publish('room', roomEventMessage(said('ana', message), id));

  it('hears what comes, or first what was there, as it was asked', async () => {
    for (const text of ['1', '2', '3', '4']) await say(text);
    const [latest, last, all] = [await read('latest'), await read({ last: 2 }), await read('beginning')];
    expect([latest.texts, last.texts, all.texts]).toEqual([[], ['3', '4'], ['1', '2', '3', '4']]);
    await say('5');
    await eventually(() => [latest, last, all].every(({ texts }) => texts.at(-1) === '5'));
    expect([latest.texts, last.texts, all.texts]).toEqual([['5'], ['3', '4', '5'], ['1', '2', '3', '4', '5']]);
  });

  it('hears one id once, however often it was sent', async () => {
    const heard = await read('latest');
    for (const id of ['a', 'b', 'a', 'b', 'c']) await say(id, id);
    await eventually(() => heard.texts.includes('c'));
    expect(heard.texts).toEqual(['a', 'b', 'c']);
  });

  it('tells of what is not JSON and passes over it, and over events that it does not know', async () => {
    const heard = await read('latest');
    await publisher.publish('room', [
      { payload: new TextEncoder().encode('{"broken') },
      { payload: new TextEncoder().encode('{"type":"confetti","version":1}') },
      roomEventMessage(said('ana', 'after')),
    ]);
    await eventually(() => heard.texts.length === 1);
    expect(heard).toEqual({ texts: ['after'], notices: ['unreadable'] });
  });
});
