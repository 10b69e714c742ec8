import { Logger } from '@nestjs/common';
import { ClientProxy } from '@nestjs/microservices';
import type { ReadPacket } from '@nestjs/microservices';
import { defer } from 'rxjs';
import type { Observable } from 'rxjs';
import type { Ackline } from '../ackline.js';
import { InvalidOptionError } from '../errors.js';
import { jsonMessage } from '../json.js';
import type { OutgoingMessage } from '../message.js';

/** Data with what a message has beside it: `client.emit('orders', new QueueRecord(order, { key: order.id }))`. */
export class QueueRecord<T = unknown> {
  constructor(
    readonly data: T,
    readonly options: Omit<OutgoingMessage, 'payload'> = {},
  ) {}
}

/**
 * Nest client: `emit(queue, data)` publishes `data` as JSON; the Observable completes when the message is durable and
 * errors when it is not known to be. It publishes at once, subscribed to or not; an error that nobody subscribes to is
 * logged. `send` is refused: a queue has no reply.
 *
 * @example
 * await lastValueFrom(client.emit('orders', order)); // durable
 */
export class QueueClient extends ClientProxy {
  readonly #logger = new Logger(QueueClient.name);

  constructor(
    /** Stays the caller's: closed by the caller. */
    private readonly ackline: Ackline,
  ) {
    super();
  }

  override connect(): Promise<void> {
    return this.ackline.start();
  }

  override close(): void {
    // Nothing here is the client's own.
  }

  override unwrap<T>(): T {
    return this.ackline as T;
  }

  override emit<TResult = unknown, TInput = unknown>(queue: string, data: TInput): Observable<TResult> {
    const published = super.emit<TResult, TInput>(queue, data);
    let isWatched = false;
    const report = (error: unknown): void => {
      if (!isWatched) this.#logger.error(`Nothing was published to queue ${queue}, and nobody subscribed`, error);
    };
    // Whoever wants to subscribe does so in the turn of the call.
    published.subscribe({ error: (error: unknown) => setImmediate(report, error) });
    return defer(() => {
      isWatched = true;
      return published;
    });
  }

  protected override publish(): never {
    throw new InvalidOptionError('send() waits for a reply, which a queue has not: use emit().');
  }

  protected override async dispatchEvent<T>(packet: ReadPacket): Promise<T> {
    const { data } = packet as ReadPacket<unknown>;
    const record = data instanceof QueueRecord ? data : new QueueRecord(data);
    await this.ackline.publish(String(packet.pattern), jsonMessage(record.data, record.options));
    return undefined as T;
  }
}
