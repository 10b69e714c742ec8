import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { CopiedMessage, LedgerRecord, SnapshotState } from './records.js';

/** First byte of every ledger record. A reader refuses what it does not know, rather than guess at leases. */
export const LEDGER_FORMAT = 1;

const TYPES = ['init', 'claim', 'lease', 'settle', 'note', 'void', 'copy', 'redrive', 'snapshot'] as const;

/** A ledger record that this version cannot read. */
export class UnreadableLedgerError extends Error {
  override name = 'UnreadableLedgerError';
}

/**
 * `[format, type, …]`, then JSON; for a message's copy the length of the JSON in four bytes, the JSON, the payload; for
 * a snapshot the JSON deflated. JSON because there are few records and people have to read them in an emergency.
 */
export function encodeRecord(record: LedgerRecord): Buffer {
  const type = TYPES.indexOf(record.type);
  if (record.type === 'copy' || record.type === 'redrive') {
    const { payload, ...message } = record.message;
    const json = Buffer.from(JSON.stringify({ ...record, type: undefined, message }));
    const length = Buffer.alloc(4);
    length.writeUInt32BE(json.length);
    return Buffer.concat([Buffer.from([LEDGER_FORMAT, type]), length, json, payload]);
  }
  const json = Buffer.from(JSON.stringify({ ...record, type: undefined }));
  const body = record.type === 'snapshot' ? deflateRawSync(json) : json;
  return Buffer.concat([Buffer.from([LEDGER_FORMAT, type]), body]);
}

/** @throws UnreadableLedgerError for another format, an unknown type or broken bytes. */
export function decodeRecord(bytes: Uint8Array | null): LedgerRecord {
  if (!bytes || bytes.length < 2) throw new UnreadableLedgerError('an empty ledger record.');
  if (bytes[0] !== LEDGER_FORMAT) {
    throw new UnreadableLedgerError(
      `ledger format ${bytes[0]}; this version reads ${LEDGER_FORMAT}. Upgrade every worker.`,
    );
  }
  const type = TYPES[bytes[1]!];
  if (!type) throw new UnreadableLedgerError(`ledger record of unknown type ${bytes[1]}.`);
  const body = Buffer.from(bytes.buffer, bytes.byteOffset + 2, bytes.length - 2);
  try {
    if (type === 'copy' || type === 'redrive') {
      const jsonEnd = 4 + body.readUInt32BE(0);
      const fields = JSON.parse(body.toString('utf8', 4, jsonEnd)) as { message: Omit<CopiedMessage, 'payload'> };
      const message = { ...fields.message, key: fields.message.key, payload: body.subarray(jsonEnd) };
      return { ...fields, type, message } as unknown as LedgerRecord;
    }
    const json = type === 'snapshot' ? inflateRawSync(body) : body;
    return { ...(JSON.parse(json.toString('utf8')) as object), type } as LedgerRecord;
  } catch (error) {
    throw new UnreadableLedgerError(`a ledger record of type ${type} that is broken.`, { cause: error });
  }
}

/** The bytes a snapshot of this state takes; for deciding whether it fits one record. */
export function snapshotBytes(state: SnapshotState): number {
  return deflateRawSync(Buffer.from(JSON.stringify(state))).length;
}
