import type { RawRecord } from './kafkajs-protocol.js';

/** One record after another of a fetched stretch of a partition. Its fields are those of the record it stands on. */
export interface RecordCursor {
  readonly offset: number;
  readonly timestamp: number;
  /** A transaction's marker: it takes an offset and is no message. */
  readonly isControl: boolean;
  /** The offset behind the stretch, whether or not the ones before it all hold a record. */
  readonly end: number;
  /** What it has not stood on yet. */
  readonly recordsLeft: number;
  readonly bytesLeft: number;
  /** Steps to the next record; false behind the last. */
  next(): boolean;
  key(): Buffer | null;
  value(): Buffer | null;
  /** The headers in order; `name` compares without making a string of it. */
  eachHeader(visit: (header: HeaderView) => void): void;
}

export interface HeaderView {
  is(name: Buffer): boolean;
  name(): string;
  text(): string;
}

/** Bytes of a batch before its records, from its base offset on. */
const BATCH_HEADER_BYTES = 61;
/** Bytes of a batch that its length field does not count. */
const BATCH_PREFIX_BYTES = 12;
const FORMAT = 2;
const COMPRESSION = 0x07;
const LOG_APPEND_TIME = 0x08;
const CONTROL = 0x20;

/** Whether every batch is one that {@link BatchCursor} reads: format 2 (Kafka 0.11 or newer), not compressed. */
export function isPlain(bytes: Buffer): boolean {
  for (let at = 0; at + BATCH_HEADER_BYTES <= bytes.length;) {
    const length = bytes.readInt32BE(at + 8);
    if (bytes[at + 16] !== FORMAT || (bytes[at + 22]! & COMPRESSION) !== 0) return false;
    if (length < BATCH_HEADER_BYTES - BATCH_PREFIX_BYTES) return false;
    at += BATCH_PREFIX_BYTES + length;
  }
  return true;
}

/**
 * Reads batches as the broker sent them (Kafka protocol, "Record Batch"), each record when it is come to: what is
 * fetched ahead stays the few objects that its buffer is. The last batch may be cut off; it is not read then.
 */
export class BatchCursor implements RecordCursor, HeaderView {
  offset = -1;
  timestamp = 0;
  isControl = false;
  readonly end: number;
  recordsLeft = 0;
  /** Where the whole batches end. */
  readonly #limit: number;
  #at = 0;
  #inBatch = 0;
  #baseOffset = 0;
  #baseTimestamp = 0;
  #appendTime: number | undefined;
  #keyAt = 0;
  #keyLength = -1;
  #valueAt = 0;
  #valueLength = -1;
  #headersAt = 0;
  #nameAt = 0;
  #nameLength = 0;
  #textAt = 0;
  #textLength = 0;

  /** @param from the first offset that is wanted: a batch may begin before it */
  constructor(
    private readonly bytes: Buffer,
    private readonly from: number,
  ) {
    let [at, end] = [0, from];
    while (at + BATCH_HEADER_BYTES <= bytes.length) {
      const next = at + BATCH_PREFIX_BYTES + bytes.readInt32BE(at + 8);
      if (next > bytes.length) break;
      end = int64(bytes, at) + bytes.readInt32BE(at + 23) + 1;
      this.recordsLeft += bytes.readInt32BE(at + 57);
      at = next;
    }
    this.#limit = at;
    this.end = Math.max(end, from);
  }

  get bytesLeft(): number {
    return this.#limit - this.#at;
  }

  next(): boolean {
    do {
      while (this.#inBatch === 0) {
        if (this.#at >= this.#limit) return false;
        this.#openBatch();
      }
      this.#readRecord();
    } while (this.offset < this.from);
    return true;
  }

  key(): Buffer | null {
    return this.#keyLength < 0 ? null : this.bytes.subarray(this.#keyAt, this.#keyAt + this.#keyLength);
  }

  value(): Buffer | null {
    return this.#valueLength < 0 ? null : this.bytes.subarray(this.#valueAt, this.#valueAt + this.#valueLength);
  }

  eachHeader(visit: (header: HeaderView) => void): void {
    const resumeAt = this.#at;
    this.#at = this.#headersAt;
    for (let left = this.#varint(); left > 0; left--) {
      this.#nameLength = this.#varint();
      this.#nameAt = this.#at;
      this.#at += this.#nameLength;
      this.#textLength = Math.max(0, this.#varint());
      this.#textAt = this.#at;
      this.#at += this.#textLength;
      visit(this);
    }
    this.#at = resumeAt;
  }

  is(name: Buffer): boolean {
    if (this.#nameLength !== name.length) return false;
    for (let index = 0; index < name.length; index++) {
      if (this.bytes[this.#nameAt + index] !== name[index]) return false;
    }
    return true;
  }

  name(): string {
    return this.bytes.toString('utf8', this.#nameAt, this.#nameAt + this.#nameLength);
  }

  text(): string {
    return this.bytes.toString('utf8', this.#textAt, this.#textAt + this.#textLength);
  }

  #openBatch(): void {
    const { bytes } = this;
    const at = this.#at;
    const attributes = bytes.readInt16BE(at + 21);
    this.#baseOffset = int64(bytes, at);
    this.#baseTimestamp = int64(bytes, at + 27);
    this.#appendTime = attributes & LOG_APPEND_TIME ? int64(bytes, at + 35) : undefined;
    this.isControl = (attributes & CONTROL) !== 0;
    this.#inBatch = bytes.readInt32BE(at + 57);
    this.#at = at + BATCH_HEADER_BYTES;
  }

  #readRecord(): void {
    const length = this.#varint();
    const end = this.#at + length;
    this.#at += 1;
    const sinceBase = this.#varlong();
    this.timestamp = this.#appendTime ?? this.#baseTimestamp + sinceBase;
    this.offset = this.#baseOffset + this.#varint();
    this.#keyLength = this.#varint();
    this.#keyAt = this.#at;
    if (this.#keyLength > 0) this.#at += this.#keyLength;
    this.#valueLength = this.#varint();
    this.#valueAt = this.#at;
    if (this.#valueLength > 0) this.#at += this.#valueLength;
    this.#headersAt = this.#at;
    this.#at = end;
    this.#inBatch -= 1;
    this.recordsLeft -= 1;
  }

  /** Zigzag, at most 32 bits. */
  #varint(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.bytes[this.#at++]!;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return (value >>> 1) ^ -(value & 1);
    }
  }

  /** Zigzag, up to 53 bits: a number of milliseconds. */
  #varlong(): number {
    let [value, factor] = [0, 1];
    for (;;) {
      const byte = this.bytes[this.#at++]!;
      value += (byte & 0x7f) * factor;
      factor *= 128;
      if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    }
  }
}

/** Records that kafkajs has decoded already, because they were compressed. */
export class DecodedCursor implements RecordCursor {
  readonly end: number;
  bytesLeft = 0;
  #at = -1;

  constructor(
    private readonly records: readonly RawRecord[],
    from: number,
  ) {
    const last = records.at(-1);
    this.end = last ? Number(last.offset) + 1 : from;
    for (const { value } of records) this.bytesLeft += value?.length ?? 0;
  }

  get offset(): number {
    return Number(this.#record.offset);
  }

  get timestamp(): number {
    return Number(this.#record.timestamp);
  }

  get isControl(): boolean {
    return this.#record.isControlRecord;
  }

  get recordsLeft(): number {
    return this.records.length - this.#at - 1;
  }

  next(): boolean {
    if (this.#at + 1 >= this.records.length) return false;
    this.#at += 1;
    this.bytesLeft -= this.#record.value?.length ?? 0;
    return true;
  }

  key(): Buffer | null {
    return this.#record.key;
  }

  value(): Buffer | null {
    return this.#record.value;
  }

  eachHeader(visit: (header: HeaderView) => void): void {
    const { headers } = this.#record;
    for (const name in headers) {
      const value = headers[name];
      visit({
        is: (wanted) => wanted.toString('utf8') === name,
        name: () => name,
        text: () => headerText(value),
      });
    }
  }

  get #record(): RawRecord {
    return this.records[this.#at]!;
  }
}

/** All that is left, as kafkajs would have decoded it. */
export function toRecords(cursor: RecordCursor): RawRecord[] {
  const records: RawRecord[] = [];
  while (cursor.next()) {
    const headers = new Map<string, string>();
    cursor.eachHeader((header) => {
      const name = header.name();
      // Of headers of one name the first counts.
      if (!headers.has(name)) headers.set(name, header.text());
    });
    records.push({
      offset: String(cursor.offset),
      timestamp: String(cursor.timestamp),
      key: cursor.key(),
      value: cursor.value(),
      headers: Object.fromEntries(headers),
      isControlRecord: cursor.isControl,
    });
  }
  return records;
}

/**
 * Of headers of one name the first counts. kafkajs gathers them behind what the name means on every object: a header
 * named `constructor` comes as an array of that function and its value.
 */
export function headerText(value: RawRecord['headers'][string]): string {
  const first = Array.isArray(value) ? value.find((one) => typeof one !== 'function') : value;
  if (first === undefined) return '';
  return typeof first === 'string' ? first : first.toString('utf8');
}

function int64(bytes: Buffer, at: number): number {
  return bytes.readInt32BE(at) * 4_294_967_296 + bytes.readUInt32BE(at + 4);
}
