import { Partitioners } from './client/kafkajs.js';
import type { Kafka, Message as OutgoingRecord, Producer } from 'kafkajs';
import { InvalidMessageError } from '../../errors.js';
import type { PreparedMessage } from '../../message.js';
import { asUnavailable, kafkaErrorType, rootCause, within } from './client/kafka-errors.js';
import { toRecord } from './kafka-message.js';

interface Waiting {
  readonly queue: string;
  readonly records: readonly OutgoingRecord[];
  readonly bytes: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** kafkajs makes one batch a partition of one send, and all of it has to be below the topic's limit. */
const SEND_BYTES = 512 * 1024;
const SEND_MESSAGES = 5_000;

/**
 * Publishes with an idempotent producer, one send under way at a time: what is asked for meanwhile goes with the next.
 * A producer that failed is thrown away; its sequence numbers cannot be trusted.
 */
export class Publisher {
  #producer: Promise<Producer> | undefined;
  #waiting: Waiting[] = [];
  #sending: Promise<void> | undefined;
  #closed = false;

  constructor(
    private readonly kafka: Kafka,
    private readonly deadlineMs: number,
  ) {}

  async publish(queue: string, messages: readonly PreparedMessage[]): Promise<void> {
    const sends: Promise<void>[] = [];
    for (let records: OutgoingRecord[] = [], bytes = 0, at = 0; at < messages.length; ) {
      const message = messages[at++]!;
      records.push(toRecord(message));
      bytes += message.payload.byteLength + 512;
      const next = messages[at];
      const isFull = records.length >= SEND_MESSAGES || (next && bytes + next.payload.byteLength > SEND_BYTES);
      if (next && !isFull) continue;
      sends.push(this.#enqueue(queue, records, bytes));
      [records, bytes] = [[], 0];
    }
    await Promise.all(sends);
  }

  async close(deadlineMs: number): Promise<void> {
    this.#closed = true;
    if (this.#sending) await within(deadlineMs / 2, 'publish', this.#sending).catch(() => undefined);
    const producer = this.#producer;
    this.#producer = undefined;
    if (producer) await within(deadlineMs / 2, 'disconnect', producer.then((each) => each.disconnect())).catch(() => undefined);
  }

  #enqueue(queue: string, records: readonly OutgoingRecord[], bytes: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ queue, records, bytes, resolve, reject });
      this.#sending ??= Promise.resolve()
        .then(() => this.#sendAll())
        .finally(() => (this.#sending = undefined));
    });
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const together: Waiting[] = [];
      for (let bytes = 0; this.#waiting[0] && (together.length === 0 || bytes + this.#waiting[0].bytes <= SEND_BYTES); ) {
        const next = this.#waiting.shift()!;
        bytes += next.bytes;
        together.push(next);
      }
      await this.#send(together);
    }
  }

  async #send(together: readonly Waiting[]): Promise<void> {
    try {
      await this.#trySend(together);
      for (const { resolve } of together) resolve();
    } catch (error) {
      const type = kafkaErrorType(rootCause(error));
      const isTooLarge = type === 'MESSAGE_TOO_LARGE' || type === 'RECORD_LIST_TOO_LARGE';
      if (isTooLarge && together.length > 1) {
        // One of them: the others must not fail with it.
        for (const each of together) await this.#send([each]);
        return;
      }
      await this.#renew();
      const failure = isTooLarge
        ? new InvalidMessageError('the message is larger than its topic allows (max.message.bytes).', { cause: error })
        : asUnavailable('publish', error);
      for (const { reject } of together) reject(failure);
    }
  }

  async #trySend(together: readonly Waiting[]): Promise<void> {
    const byQueue = new Map<string, OutgoingRecord[]>();
    for (const { queue, records } of together) {
      const known = byQueue.get(queue);
      if (known) known.push(...records);
      else byQueue.set(queue, [...records]);
    }
    const topicMessages = [...byQueue].map(([topic, messages]) => ({ topic, messages }));
    const send = async (): Promise<void> => {
      const producer = await (this.#producer ??= this.#connect());
      await producer.sendBatch({ acks: -1, topicMessages });
    };
    await within(this.deadlineMs, 'publish', send());
  }

  async #connect(): Promise<Producer> {
    const producer = this.kafka.producer({
      createPartitioner: Partitioners.DefaultPartitioner,
      idempotent: true,
      maxInFlightRequests: 1,
      allowAutoTopicCreation: false,
      // The same batch again under its own numbers: the broker keeps one.
      retry: { retries: 8, initialRetryTime: 100, maxRetryTime: 2_000 },
    });
    await producer.connect();
    return producer;
  }

  async #renew(): Promise<void> {
    const producer = this.#producer;
    this.#producer = undefined;
    if (!producer || this.#closed) return;
    await within(1_000, 'disconnect', producer.then((each) => each.disconnect())).catch(() => undefined);
  }
}
