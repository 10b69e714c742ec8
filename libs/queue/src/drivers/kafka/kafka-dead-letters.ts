import { randomUUID } from 'node:crypto';
import type { Message as OutgoingRecord } from 'kafkajs';
import type { DeadLetter, DeadLetterAudit, DeadLetterFilter, DeadLetterStore } from '../../queue-driver.js';
import type { ClusterLink } from './client/cluster-link.js';
import type { RawRecord } from './client/kafkajs-protocol.js';
import { auditRecord, readHeaders, tombstone } from './dead-letter-record.js';
import { byAge } from './dead-letter-index.js';
import type { DeadLetterIndex, IndexedLetter } from './dead-letter-index.js';
import { keyHash, parseOrigin } from './kafka-message.js';
import { encodeRecord } from './ledger/record-codec.js';

const PAGE_MOST = 1_000;
const PIECE_MOST = 200;
const PIECE_BYTES = 256 * 1024;
const LETTER_OVERHEAD_BYTES = 1_024;

export interface DeadLettersSetting {
  readonly queue: string;
  readonly group: string;
  readonly ledger: string;
  readonly link: ClusterLink;
  /** The index, with its topic made and checked. */
  readonly index: () => Promise<DeadLetterIndex>;
}

/** Dead letters of one group, in their topic. */
export class KafkaDeadLetters implements DeadLetterStore {
  constructor(private readonly setting: DeadLettersSetting) {}

  async list(
    filter: DeadLetterFilter,
    page: { readonly limit: number; readonly after?: DeadLetter },
  ): Promise<readonly DeadLetter[]> {
    const index = await this.#index();
    const { after } = page;
    const isAfter = (letter: IndexedLetter): boolean =>
      !after || byAge(letter, { id: after.id, deadAt: after.deadAt.getTime() }) > 0;
    const letters = index.find(filter).filter(isAfter).slice(0, Math.min(page.limit, PAGE_MOST));
    const records = await index.records(letters);
    return letters.flatMap((letter) => {
      const record = records.get(letter);
      return record ? [this.#toDeadLetter(letter, record)] : [];
    });
  }

  async countByError(
    filter: DeadLetterFilter,
  ): Promise<readonly { readonly errorCode: string; readonly count: number }[]> {
    const index = await this.#index();
    const counts = new Map<string, number>();
    for (const { errorCode } of index.find(filter)) counts.set(errorCode, (counts.get(errorCode) ?? 0) + 1);
    return [...counts].map(([errorCode, count]) => ({ errorCode, count }));
  }

  /** First the ledger, whole; then the letters go. Between the two they can be redriven again, which the ledger ignores. */
  async redrive(ids: readonly string[], actor: string): Promise<number> {
    const index = await this.#index();
    const records = await index.records(index.find({ ids }));
    let moved = 0;
    for (const some of inPieces([...records])) {
      const byPartition = new Map<number, OutgoingRecord[]>();
      for (const [letter, record] of some) {
        const { partition, offset } = parseOrigin(letter.origin);
        const { id, key, publishedAt } = letter;
        const payload = record.value ?? new Uint8Array(0);
        const message = { id, key, headers: readHeaders(record), publishedAt, payload };
        const round = letter.redriveCount + 1;
        const redrive = { type: 'redrive' as const, offset, round, key: keyHash(key), message };
        const messages = byPartition.get(partition) ?? [];
        byPartition.set(partition, messages);
        messages.push({ key: null, value: encodeRecord(redrive) });
      }
      await Promise.all(
        [...byPartition].map(([partition, messages]) =>
          this.setting.link.produceOne({ topic: this.setting.ledger, partition, messages }),
        ),
      );
      const letters = some.map(([letter]) => letter);
      await this.#remove(letters, actor, 'redrive');
      moved += letters.length;
    }
    return moved;
  }

  async discard(ids: readonly string[], actor: string): Promise<number> {
    const letters = (await this.#index()).find({ ids });
    for (let at = 0; at < letters.length; at += PIECE_MOST) {
      await this.#remove(letters.slice(at, at + PIECE_MOST), actor, 'discard');
    }
    return letters.length;
  }

  async audit(limit: number): Promise<readonly DeadLetterAudit[]> {
    return (await this.#index()).audits(limit);
  }

  async #index(): Promise<DeadLetterIndex> {
    const index = await this.setting.index();
    await index.refresh();
    return index;
  }

  /** Letters and their audit in one batch of one partition: all of it or nothing. */
  async #remove(letters: readonly IndexedLetter[], actor: string, action: 'redrive' | 'discard'): Promise<void> {
    const { topic } = await this.setting.index();
    const byPartition = new Map<number, OutgoingRecord[]>();
    for (const { origin, id, partition } of letters) {
      const messages = byPartition.get(partition) ?? [];
      byPartition.set(partition, messages);
      messages.push(tombstone(origin), auditRecord(randomUUID(), { actor, action, messageId: id }));
    }
    for (const [partition, messages] of byPartition) await this.setting.link.produceOne({ topic, partition, messages });
  }

  #toDeadLetter(letter: IndexedLetter, record: RawRecord): DeadLetter {
    const { id, key, reason, errorCode, deliveryCount, redriveCount, origin } = letter;
    return {
      id,
      queue: this.setting.queue,
      group: this.setting.group,
      key,
      payload: record.value ?? new Uint8Array(0),
      headers: readHeaders(record),
      reason,
      errorCode,
      deliveryCount,
      redriveCount,
      publishedAt: new Date(letter.publishedAt),
      firstSeenAt: new Date(letter.firstSeenAt),
      deadAt: new Date(letter.deadAt),
      origin,
    };
  }
}

/** So that a batch stays below a topic's limit, unless a single letter is that large. */
function* inPieces(
  all: readonly (readonly [IndexedLetter, RawRecord])[],
): Generator<readonly (readonly [IndexedLetter, RawRecord])[]> {
  let piece: (readonly [IndexedLetter, RawRecord])[] = [];
  let bytes = 0;
  for (const one of all) {
    const size = sizeOf(one[1]);
    if (piece.length > 0 && (piece.length === PIECE_MOST || bytes + size > PIECE_BYTES)) {
      yield piece;
      piece = [];
      bytes = 0;
    }
    piece.push(one);
    bytes += size;
  }
  if (piece.length > 0) yield piece;
}

function sizeOf({ value, headers }: RawRecord): number {
  const text = Object.values(headers).reduce((sum, each) => sum + (each?.length ?? 0), 0);
  return (value?.byteLength ?? 0) + text + LETTER_OVERHEAD_BYTES;
}
