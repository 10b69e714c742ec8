import type { RawRecord } from './kafkajs-protocol.js';
import type { RecordCursor } from './record-cursor.js';

/** Records that kafkajs has decoded already, because they were compressed. */
export class DecodedCursor implements RecordCursor {
  readonly end: number;
  bytesLeft = 0;
  #at = -1;
  #headers: [string, RawRecord['headers'][string]][] = [];
  #headerAt = -1;

  constructor(
    private readonly records: readonly RawRecord[],
    private readonly from: number,
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

  fork(): DecodedCursor {
    const fork = new DecodedCursor(this.records, this.from);
    fork.bytesLeft = this.bytesLeft;
    fork.#at = this.#at;
    return fork;
  }

  get valueBytes(): number {
    return this.#record.value?.length ?? 0;
  }

  key(): Buffer | null {
    return this.#record.key;
  }

  value(): Buffer | null {
    return this.#record.value;
  }

  toHeaders(): void {
    this.#headers = Object.entries(this.#record.headers);
    this.#headerAt = -1;
  }

  nextHeader(): boolean {
    this.#headerAt += 1;
    return this.#headerAt < this.#headers.length;
  }

  headerIs(name: Buffer): boolean {
    return name.toString('utf8') === this.headerName();
  }

  headerName(): string {
    return this.#headers[this.#headerAt]![0];
  }

  headerText(): string {
    return headerText(this.#headers[this.#headerAt]![1]);
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
    for (cursor.toHeaders(); cursor.nextHeader();) {
      const name = cursor.headerName();
      // Of headers of one name the first counts.
      if (!headers.has(name)) headers.set(name, cursor.headerText());
    }
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
