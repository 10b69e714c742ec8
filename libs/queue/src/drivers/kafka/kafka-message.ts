import { createHash } from 'node:crypto';
import type { Message as OutgoingRecord } from 'kafkajs';
import type { Message, MessageHeaders, PreparedMessage } from '../../message.js';
import type { RawRecord } from './client/kafkajs-protocol.js';
import { headerText } from './client/decoded-cursor.js';
import type { RecordCursor } from './client/record-cursor.js';
import type { CopiedMessage } from './ledger/records.js';

/** The driver's own headers on a queue's records; users' headers stand beside them under their own names. */
const ID_HEADER = 'ackline-id';
const DELAY_HEADER = 'ackline-delay-ms';
const ID_BYTES = Buffer.from(ID_HEADER);
const DELAY_BYTES = Buffer.from(DELAY_HEADER);
const NO_HEADERS: MessageHeaders = Object.freeze({});

/** A message as a worker keeps it in memory before and while it is delivered. */
export interface StoredMessage extends CopiedMessage {
  readonly delayMs: number;
}

export function toRecord(message: PreparedMessage): OutgoingRecord {
  return {
    key: message.key ?? null,
    value: Buffer.from(message.payload.buffer, message.payload.byteOffset, message.payload.byteLength),
    headers: {
      ...message.headers,
      [ID_HEADER]: message.id,
      ...(message.delayMs > 0 ? { [DELAY_HEADER]: String(message.delayMs) } : {}),
    },
  };
}

/** Reads any record, also one that another program wrote: its id is then where it stands. */
export function fromRecord(topic: string, partition: number, record: RawRecord): StoredMessage {
  let id = `${topic}/${partition}/${record.offset}`;
  let delayMs = 0;
  const headers = new Map<string, string>();
  for (const name in record.headers) {
    const value = headerText(record.headers[name]);
    if (name === ID_HEADER && value !== '') id = value;
    else if (name === DELAY_HEADER) delayMs = Math.max(0, Number(value) || 0);
    else headers.set(name, value);
  }
  return {
    id,
    key: record.key === null ? undefined : record.key.toString('utf8'),
    headers: Object.fromEntries(headers),
    publishedAt: Number(record.timestamp),
    payload: record.value ?? new Uint8Array(0),
    delayMs,
  };
}

/** As {@link fromRecord}, of the record that the cursor stands on. The payload is a view of what was fetched. */
export function readMessage(topic: string, partition: number, cursor: RecordCursor): StoredMessage {
  let id = '';
  let delayMs = 0;
  let headers: Map<string, string> | undefined;
  for (cursor.toHeaders(); cursor.nextHeader();) {
    if (cursor.headerIs(ID_BYTES)) id = id || cursor.headerText();
    else if (cursor.headerIs(DELAY_BYTES)) delayMs = delayIn(cursor);
    else {
      const name = cursor.headerName();
      headers ??= new Map();
      if (!headers.has(name)) headers.set(name, cursor.headerText());
    }
  }
  return {
    id: id || originOf(topic, partition, cursor.offset),
    key: cursor.key()?.toString('utf8'),
    headers: headers ? Object.fromEntries(headers) : NO_HEADERS,
    publishedAt: cursor.timestamp,
    payload: cursor.value() ?? new Uint8Array(0),
    delayMs,
  };
}

/** How long after its publishing the message that the cursor stands on is due. */
export function delayOf(cursor: RecordCursor): number {
  let delayMs = 0;
  for (cursor.toHeaders(); cursor.nextHeader();) if (cursor.headerIs(DELAY_BYTES)) delayMs = delayIn(cursor);
  return delayMs;
}

function delayIn(cursor: RecordCursor): number {
  return Math.max(0, Number(cursor.headerText()) || 0);
}

/** The message with a payload of its own: kept for long, a view would keep all that was fetched with it. */
export function detached(message: StoredMessage): StoredMessage {
  return { ...message, payload: Buffer.from(message.payload) };
}

export function toMessage(queue: string, origin: string, stored: CopiedMessage): Message {
  return {
    id: stored.id,
    queue,
    key: stored.key,
    payload: stored.payload,
    headers: stored.headers,
    publishedAt: new Date(stored.publishedAt),
    origin,
  };
}

/** The other way: as a worker keeps it. */
export function storedOf({ id, key, headers, publishedAt, payload }: Message): StoredMessage {
  return { id, key, headers, publishedAt: publishedAt.getTime(), payload, delayMs: 0 };
}

export function originOf(queue: string, partition: number, offset: number): string {
  return placeOf(queue, partition) + offset;
}

/** What the origins of a partition's messages begin with. */
export function placeOf(queue: string, partition: number): string {
  return `${queue}/${partition}/`;
}

export function parseOrigin(origin: string): { readonly partition: number; readonly offset: number } {
  const [partition, offset] = origin.split('/').slice(-2).map(Number);
  return { partition: partition ?? 0, offset: offset ?? 0 };
}

/** What a message takes in memory beside its payload, roughly. */
export const MESSAGE_OVERHEAD_BYTES = 512;

/** What a message takes in memory, roughly. */
export function weightOf(stored: CopiedMessage): number {
  return stored.payload.byteLength + MESSAGE_OVERHEAD_BYTES;
}

/** 72 bits: two keys that meet in it are only kept in order needlessly. '' for a message without a key. */
export function keyHash(key: string | undefined): string {
  return key === undefined ? '' : createHash('sha1').update(key).digest('base64').slice(0, 12);
}
