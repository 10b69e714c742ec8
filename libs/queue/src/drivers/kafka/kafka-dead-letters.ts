import { randomUUID } from 'node:crypto';
import type { DeadLetter, DeadLetterAudit, DeadLetterFilter, DeadLetterStore } from '../../queue-driver.js';
import type { ClusterLink } from './client/cluster-link.js';
import type { RawRecord } from './client/kafkajs-protocol.js';
import { auditRecord, readHeaders, tombstone } from './dead-letter-record.js';
import { byAge } from './dead-letter-index.js';
import type { DeadLetterIndex, IndexedLetter } from './dead-letter-index.js';
import { keyHash, parseOrigin } from './kafka-message.js';
import { encodeRecord } from './ledger/record-codec.js';

const PAGE_MOST = 1_000;

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

  /** First the ledger, whole; then the letter goes. Between the two it can be redriven again, which the ledger ignores. */
  async redrive(ids: readonly string[], actor: string): Promise<number> {
    const index = await this.#index();
    const letters = index.find({ ids });
    const records = await index.records(letters);
    let moved = 0;
    for (const [letter, record] of records) {
      const { partition, offset } = parseOrigin(letter.origin);
      const { id, key, publishedAt } = letter;
      const payload = record.value ?? new Uint8Array(0);
      const message = { id, key, headers: readHeaders(record), publishedAt, payload };
      const round = letter.redriveCount + 1;
      const redrive = { type: 'redrive' as const, offset, round, key: keyHash(key), message };
      const messages = [{ key: null, value: encodeRecord(redrive) }];
      await this.setting.link.produceOne({ topic: this.setting.ledger, partition, messages });
      await this.#remove(letter, actor, 'redrive');
      moved++;
    }
    return moved;
  }

  async discard(ids: readonly string[], actor: string): Promise<number> {
    const letters = (await this.#index()).find({ ids });
    for (const letter of letters) await this.#remove(letter, actor, 'discard');
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

  /** Letter and audit in one batch: both or neither. */
  async #remove({ origin, id, partition }: IndexedLetter, actor: string, action: 'redrive' | 'discard'): Promise<void> {
    const { topic } = await this.setting.index();
    const messages = [tombstone(origin), auditRecord(randomUUID(), { actor, action, messageId: id })];
    await this.setting.link.produceOne({ topic, partition, messages });
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
