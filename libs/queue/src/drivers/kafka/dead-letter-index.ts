import type { DeadLetterAudit, DeadLetterFilter } from '../../queue-driver.js';
import type { ClusterLink } from './client/cluster-link.js';
import type { RawRecord } from './client/kafkajs-protocol.js';
import { readAudit, readMeta } from './dead-letter-record.js';
import type { DeadLetterMeta } from './dead-letter-record.js';

/** A dead letter without its payload, and where that is. */
export interface IndexedLetter extends DeadLetterMeta {
  readonly origin: string;
  readonly partition: number;
  readonly offset: number;
  readonly deadAt: number;
}

const FETCH_BYTES = 4 * 1024 * 1024;
const AUDITS_KEPT = 10_000;

/** What a group's topic of dead letters says, read on from where the last look ended. */
export class DeadLetterIndex {
  readonly #letters = new Map<string, IndexedLetter>();
  readonly #positions = new Map<number, number>();
  #audits: DeadLetterAudit[] = [];
  #reading: Promise<void> = Promise.resolve();

  constructor(
    readonly topic: string,
    private readonly link: ClusterLink,
  ) {}

  /** Reads to the end as it is now. */
  async refresh(): Promise<void> {
    const reading = this.#reading.catch(() => undefined).then(() => this.#read());
    this.#reading = reading;
    return reading;
  }

  get size(): number {
    return this.#letters.size;
  }

  /** Oldest first. */
  find(filter: DeadLetterFilter): IndexedLetter[] {
    const ids = filter.ids && new Set(filter.ids);
    return [...this.#letters.values()]
      .filter(
        ({ id, key, errorCode, reason, deadAt }) =>
          (!ids || ids.has(id)) &&
          (filter.key === undefined || key === filter.key) &&
          (filter.errorCode === undefined || errorCode === filter.errorCode) &&
          (filter.reason === undefined || reason === filter.reason) &&
          (!filter.deadBefore || deadAt < filter.deadBefore.getTime()) &&
          (!filter.deadAfter || deadAt > filter.deadAfter.getTime()),
      )
      .sort(byAge);
  }

  /** Newest first. */
  audits(limit: number): readonly DeadLetterAudit[] {
    return this.#audits.slice(-limit).reverse();
  }

  /** The records of these letters, with their payloads. */
  async records(letters: readonly IndexedLetter[]): Promise<ReadonlyMap<IndexedLetter, RawRecord>> {
    const found = new Map<IndexedLetter, RawRecord>();
    for (const letter of letters) {
      if (found.has(letter)) continue;
      const { partition, offset } = letter;
      const fetched = await this.link.fetchOne({ topic: this.topic, partition, offset, maxBytes: FETCH_BYTES }, 0);
      const byOffset = new Map(fetched?.records.map((record) => [Number(record.offset), record]));
      for (const each of letters) {
        const record = each.partition === partition ? byOffset.get(each.offset) : undefined;
        if (record) found.set(each, record);
      }
    }
    return found;
  }

  async #read(): Promise<void> {
    await this.link.connect([this.topic]);
    const partitions = this.link.partitionsOf(this.topic);
    const ends = await this.link.offsetsOf(this.topic, partitions, 'next');
    const starts = await this.link.offsetsOf(this.topic, partitions, 'first');
    for (const partition of partitions) {
      const end = ends.get(partition) ?? 0;
      let at = Math.max(this.#positions.get(partition) ?? 0, starts.get(partition) ?? 0);
      this.#forgetBefore(partition, starts.get(partition) ?? 0);
      while (at < end) {
        const fetched = await this.link.fetchOne(
          { topic: this.topic, partition, offset: at, maxBytes: FETCH_BYTES },
          100,
        );
        for (const record of fetched?.records ?? []) this.#apply(partition, record);
        const last = fetched?.records.at(-1);
        // Compaction may have emptied the rest.
        at = last ? Number(last.offset) + 1 : end;
        this.#positions.set(partition, at);
      }
    }
  }

  #apply(partition: number, record: RawRecord): void {
    if (record.isControlRecord || record.key === null) return;
    const audit = readAudit(record);
    if (audit) {
      this.#audits.push(audit);
      if (this.#audits.length > AUDITS_KEPT) this.#audits = this.#audits.slice(-AUDITS_KEPT / 2);
      return;
    }
    const origin = record.key.toString('utf8');
    const meta = record.value === null ? undefined : readMeta(record);
    // The first writing of a letter says when it died.
    const known = this.#letters.get(origin);
    if (!meta) {
      this.#letters.delete(origin);
      return;
    }
    const deadAt = known && known.redriveCount === meta.redriveCount ? known.deadAt : Number(record.timestamp);
    this.#letters.set(origin, { ...meta, origin, partition, offset: Number(record.offset), deadAt });
  }

  /** Retention has taken them. */
  #forgetBefore(partition: number, start: number): void {
    for (const letter of this.#letters.values()) {
      if (letter.partition === partition && letter.offset < start) this.#letters.delete(letter.origin);
    }
  }
}

export function byAge(a: Pick<IndexedLetter, 'deadAt' | 'id'>, b: Pick<IndexedLetter, 'deadAt' | 'id'>): number {
  return a.deadAt - b.deadAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}
