import type { Message as OutgoingRecord } from 'kafkajs';
import type { DeadLetterAudit, DeadLetterReason } from '../../queue-driver.js';
import type { RawRecord } from './client/kafkajs-protocol.js';
import { headerText } from './client/decoded-cursor.js';
import type { CopiedMessage } from './ledger/records.js';

const META_HEADER = 'ackline-dead-letter';
const AUDIT_PREFIX = 'audit/';

/** What is known of a dead letter beside the message; short, so that very many fit in memory. */
export interface DeadLetterMeta {
  readonly id: string;
  readonly key: string | undefined;
  readonly reason: DeadLetterReason;
  readonly errorCode: string;
  readonly deliveryCount: number;
  readonly redriveCount: number;
  readonly publishedAt: number;
  readonly firstSeenAt: number;
}

/**
 * Keyed by origin, so that the same letter written twice is one after compaction, and two messages of one id are two.
 * Payload and users' headers are the message's own.
 */
export function deadLetterRecord(origin: string, meta: DeadLetterMeta, message: CopiedMessage): OutgoingRecord {
  return {
    key: origin,
    value: Buffer.from(message.payload.buffer, message.payload.byteOffset, message.payload.byteLength),
    headers: { ...message.headers, [META_HEADER]: JSON.stringify(meta) },
  };
}

export function tombstone(origin: string): OutgoingRecord {
  return { key: origin, value: null };
}

export function auditRecord(key: string, audit: Omit<DeadLetterAudit, 'at'>): OutgoingRecord {
  return { key: `${AUDIT_PREFIX}${key}`, value: JSON.stringify(audit) };
}

export function readAudit(record: RawRecord): DeadLetterAudit | undefined {
  if (!record.key?.toString('utf8').startsWith(AUDIT_PREFIX) || record.value === null) return undefined;
  const audit = JSON.parse(record.value.toString('utf8')) as Omit<DeadLetterAudit, 'at'>;
  return { ...audit, at: new Date(Number(record.timestamp)) };
}

export function readMeta(record: RawRecord): DeadLetterMeta | undefined {
  const header = record.headers[META_HEADER];
  if (header === undefined || Array.isArray(header)) return undefined;
  const meta = JSON.parse(header.toString()) as DeadLetterMeta;
  return { ...meta, key: meta.key };
}

export function readHeaders(record: RawRecord): Readonly<Record<string, string>> {
  const own = Object.entries(record.headers).filter(([name]) => name !== META_HEADER);
  return Object.fromEntries(own.map(([name, value]) => [name, headerText(value)]));
}
