import type { RecordCursor } from '../client/record-cursor.js';
import { MESSAGE_OVERHEAD_BYTES, delayOf, weightOf } from '../kafka-message.js';
import type { StoredMessage } from '../kafka-message.js';

/** Reads the message of the record that a cursor stands on. */
export type ReadMessage = (cursor: RecordCursor) => StoredMessage;

/** Messages at neighbouring offsets, decoded one by one as they are shifted out: most of their lives they are bytes. */
export class MessageRun {
  /** The next message, once it has been looked at. */
  #next: StoredMessage | undefined;
  #cursor: RecordCursor | undefined;
  #read: ReadMessage | undefined;

  private constructor(
    /** Offset of the next message. */
    public from: number,
    readonly to: number,
    /** What it takes in memory, roughly. */
    readonly weight: number,
  ) {}

  static of(offset: number, message: StoredMessage): MessageRun {
    const run = new MessageRun(offset, offset, weightOf(message));
    run.#next = message;
    return run;
  }

  /** @param cursor stands on the record at `from`; whatever stands up to `to` is a message */
  static read(from: number, to: number, weight: number, cursor: RecordCursor, read: ReadMessage): MessageRun {
    const run = new MessageRun(from, to, weight);
    run.#cursor = cursor;
    run.#read = read;
    return run;
  }

  get length(): number {
    return this.to - this.from + 1;
  }

  /** The next message; undefined behind the last. */
  peek(): StoredMessage | undefined {
    if (!this.#next && this.from <= this.to) this.#next = this.#read!(this.#cursor!);
    return this.#next;
  }

  /** What is left of it, each message by itself. */
  split(): MessageRun[] {
    const all: MessageRun[] = [];
    for (let message = this.peek(); message; message = this.peek()) {
      all.push(MessageRun.of(this.from, message));
      this.shift();
    }
    return all;
  }

  /** Steps behind the next message. */
  shift(): void {
    this.#next = undefined;
    this.from++;
    if (this.from <= this.to) this.#cursor?.next();
  }
}

/** Records of the queue as they were fetched, looked at only when they are to be leased. */
export class FetchedStretch {
  /** The next offset to be accounted for. */
  next: number;
  #stands = false;

  constructor(
    from: number,
    readonly cursor: RecordCursor,
  ) {
    this.next = from;
  }

  /** Whether the cursor stands on a record that is not accounted for. */
  step(): boolean {
    this.#stands ||= this.cursor.next();
    return this.#stands;
  }

  /** The record that the cursor stands on is accounted for. */
  pass(): void {
    this.next = this.cursor.offset + 1;
    this.#stands = false;
  }

  /** Passes the record that the cursor stands on and those behind it, up to `to`, that are neighbours, and due. */
  takeRun(to: number, now: number, read: ReadMessage): MessageRun {
    const { cursor } = this;
    const from = cursor.offset;
    const first = cursor.fork();
    let weight = 0;
    do {
      weight += cursor.valueBytes + MESSAGE_OVERHEAD_BYTES;
      this.pass();
    } while (this.next <= to && this.step() && cursor.offset === this.next && isDueMessage(cursor, now));
    return MessageRun.read(from, this.next - 1, weight, first, read);
  }
}

export function isDueMessage(cursor: RecordCursor, now: number): boolean {
  if (cursor.isControl) return false;
  const delayMs = delayOf(cursor);
  return delayMs === 0 || cursor.timestamp + delayMs <= now;
}
