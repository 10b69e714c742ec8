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
  /** One of its own that stands where this one does. */
  fork(): RecordCursor;
  readonly valueBytes: number;
  key(): Buffer | null;
  value(): Buffer | null;
  /** Back before the first header; `nextHeader` then steps to it. */
  toHeaders(): void;
  /** Steps to the next header; false behind the last. */
  nextHeader(): boolean;
  /** Compares without making a string of it. */
  headerIs(name: Buffer): boolean;
  headerName(): string;
  headerText(): string;
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
export class BatchCursor implements RecordCursor {
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
  #headersLeft = 0;
  #nextHeaderAt = 0;
  #nameAt = 0;
  #nameLength = 0;
  #textAt = 0;
  #textLength = 0;

  /** @param from the first offset that is wanted: a batch may begin before it */
  constructor(
    private readonly bytes: Buffer,
    private readonly from: number,
    of?: BatchCursor,
  ) {
    if (of) {
      this.#limit = of.#limit;
      this.end = of.end;
      return;
    }
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

  fork(): BatchCursor {
    const fork = new BatchCursor(this.bytes, this.from, this);
    fork.offset = this.offset;
    fork.timestamp = this.timestamp;
    fork.isControl = this.isControl;
    fork.recordsLeft = this.recordsLeft;
    fork.#at = this.#at;
    fork.#inBatch = this.#inBatch;
    fork.#baseOffset = this.#baseOffset;
    fork.#baseTimestamp = this.#baseTimestamp;
    fork.#appendTime = this.#appendTime;
    fork.#keyAt = this.#keyAt;
    fork.#keyLength = this.#keyLength;
    fork.#valueAt = this.#valueAt;
    fork.#valueLength = this.#valueLength;
    fork.#headersAt = this.#headersAt;
    return fork;
  }

  get valueBytes(): number {
    return Math.max(0, this.#valueLength);
  }

  key(): Buffer | null {
    return this.#keyLength < 0 ? null : this.bytes.subarray(this.#keyAt, this.#keyAt + this.#keyLength);
  }

  value(): Buffer | null {
    return this.#valueLength < 0 ? null : this.bytes.subarray(this.#valueAt, this.#valueAt + this.#valueLength);
  }

  toHeaders(): void {
    const resumeAt = this.#at;
    this.#at = this.#headersAt;
    this.#headersLeft = this.#varint();
    this.#nextHeaderAt = this.#at;
    this.#at = resumeAt;
  }

  nextHeader(): boolean {
    if (this.#headersLeft <= 0) return false;
    const resumeAt = this.#at;
    this.#at = this.#nextHeaderAt;
    this.#nameLength = this.#varint();
    this.#nameAt = this.#at;
    this.#at += this.#nameLength;
    this.#textLength = Math.max(0, this.#varint());
    this.#textAt = this.#at;
    this.#nextHeaderAt = this.#at + this.#textLength;
    this.#headersLeft -= 1;
    this.#at = resumeAt;
    return true;
  }

  headerIs(name: Buffer): boolean {
    if (this.#nameLength !== name.length) return false;
    for (let index = 0; index < name.length; index++) {
      if (this.bytes[this.#nameAt + index] !== name[index]) return false;
    }
    return true;
  }

  headerName(): string {
    return this.bytes.toString('utf8', this.#nameAt, this.#nameAt + this.#nameLength);
  }

  headerText(): string {
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

function int64(bytes: Buffer, at: number): number {
  return bytes.readInt32BE(at) * 4_294_967_296 + bytes.readUInt32BE(at + 4);
}
