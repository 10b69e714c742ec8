/**
 * Words of this library; they mean the same in code, docs, metrics and pages.
 *
 * - **message**: payload (bytes), optional key, headers, id. Published to a **queue**, kept `retentionMs`.
 * - **consumer group**: workers that share a queue's messages. Several groups each get every message.
 * - **delivery**: one handing of a message to one worker of a group; `deliveryCount` is 1 for the first.
 * - **settle**: end a delivery by **ack** (done), **nack** (not done, deliver again after a delay) or
 *   **reject** (hopeless, dead-letter now).
 * - **lease**: a worker's exclusive hold on a message from taking to settling it. A worker that is not heard of for
 *   the **visibility timeout** loses its leases.
 * - **in flight**: delivered, its settlement not yet durable.
 * - **redelivery**: another delivery by the queue, after a nack or a lost worker. (A *retry* happens inside one delivery.)
 * - **release**: give a lease back without a delivery being counted.
 * - **suspect**: a message whose last lease ended with its worker's death; taken again one at a time.
 * - **dead letter**: a message given up on; it stays until someone **redrives** or **discards** it.
 */

/** Header names are matched as written; values are text. */
export type MessageHeaders = Readonly<Record<string, string>>;

/** What a producer hands to `publish` or `enqueue`. */
export interface OutgoingMessage {
  /** Producer's id, 1 to 200 characters; a UUIDv7 is made where it is left out. Stable through redelivery and redrive. */
  readonly id?: string;
  /** Messages of one key keep their order for consumers that ask for it. At most 1,024 characters. */
  readonly key?: string;
  readonly payload: Uint8Array;
  readonly headers?: MessageHeaders;
  /** Not delivered before this many milliseconds have passed. Default 0, at most {@link MAX_DELAY_MS}. */
  readonly delayMs?: number;
}

/** A checked message, ready for a driver: everything is filled in. */
export interface PreparedMessage {
  readonly id: string;
  readonly key: string | undefined;
  readonly payload: Uint8Array;
  readonly headers: MessageHeaders;
  readonly delayMs: number;
}

/** A message as a consumer sees it. */
export interface Message {
  readonly id: string;
  readonly queue: string;
  readonly key: string | undefined;
  readonly payload: Uint8Array;
  readonly headers: MessageHeaders;
  readonly publishedAt: Date;
  /** Where the driver keeps it, e.g. `bookings/3/4711` on Kafka; for people, not for programs. */
  readonly origin: string;
}

/** 30 days: the longest delay of a publish or nack. */
export const MAX_DELAY_MS = 30 * 24 * 60 * 60 * 1000;
