import { readRoomEvent } from '@eticket/chat-room';
import { Ackline, readJson } from 'ackline';
import type { Message, QueueDriver, TailConsumer } from 'ackline';
import type { Consumer, ConsumerListener, Start } from './consumer.js';
import { Connection } from './connection.js';
import { InOrderOfTime } from './in-order-of-time.js';
import { OnceOnly } from './once-only.js';

/** A sender repeats a message within seconds; nobody says so many things in that time. */
const REMEMBERED_IDS = 5_000;

// #region queue-consumer
/** The room's topic is a queue, read by an ephemeral consumer: no group is shared, nothing is settled. */
export class QueueConsumer implements Consumer {
  readonly #ackline: Ackline;
  readonly #once = new OnceOnly(REMEMBERED_IDS);
  #tail: TailConsumer | undefined;
  #connection: Connection | undefined;

  constructor(
    driver: QueueDriver,
    private readonly topic: string,
  ) {
    this.#ackline = new Ackline({
      driver,
      observer: (event) => {
        if (event.type === 'unavailable') this.#connection?.broke(event.error);
      },
    });
  }

  start(from: Start, listener: ConsumerListener): Promise<void> {
    const inOrder = new InOrderOfTime(from === 'latest', (message: Message) => this.#read(message, listener));
    this.#tail = this.#ackline.tail({ queue: this.topic, from }, (message) => inOrder.add(message));
    this.#connection = new Connection(this.#ackline, this.#tail, listener);
    return this.#tail.ready.then(() => inOrder.begin());
  }

  #read(message: Message, listener: ConsumerListener): void {
    if (!this.#once.isNew(message.id)) return;
    let value: unknown;
    try {
      value = readJson(message);
    } catch {
      return listener.onUnreadable(message.origin);
    }
    const event = readRoomEvent(value);
    // JSON of another shape: a newer server's, which this client can do without.
    if (event) listener.onMessage({ id: message.id, at: message.publishedAt, event });
  }
  // #endregion

  close(deadlineMs: number): Promise<void> {
    this.#connection?.close();
    return this.#ackline.close(deadlineMs);
  }
}
