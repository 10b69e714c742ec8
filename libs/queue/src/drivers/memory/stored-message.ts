import type { Message, PreparedMessage } from '../../message.js';

/** A message as the store keeps it: one for all groups. */
export interface StoredMessage {
  /** Publish order over the whole queue. */
  readonly sequence: number;
  readonly id: string;
  readonly key: string | undefined;
  readonly payload: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
  readonly queue: string;
  readonly publishedAt: number;
  /** Not delivered before; `publishedAt` unless the publish was delayed. */
  readonly dueAt: number;
}

/** Copies what the caller could still change: a store shares no memory with its clients. */
export function storeMessage(queue: string, sequence: number, message: PreparedMessage, now: number): StoredMessage {
  return {
    sequence,
    id: message.id,
    key: message.key,
    payload: new Uint8Array(message.payload),
    headers: Object.freeze({ ...message.headers }),
    queue,
    publishedAt: now,
    dueAt: now + message.delayMs,
  };
}

/** The copy that one delivery gets, for the same reason. */
export function toMessage(stored: StoredMessage): Message {
  return {
    id: stored.id,
    queue: stored.queue,
    key: stored.key,
    payload: new Uint8Array(stored.payload),
    headers: stored.headers,
    publishedAt: new Date(stored.publishedAt),
    origin: originOf(stored),
  };
}

export function originOf(stored: StoredMessage): string {
  return `memory/${stored.queue}/${stored.sequence}`;
}
