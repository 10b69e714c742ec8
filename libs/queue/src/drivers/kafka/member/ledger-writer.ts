import type { ClusterLink, PartitionBatch } from '../client/cluster-link.js';
import { kafkaErrorType, rootCause } from '../client/kafka-errors.js';
import type { KafkaLogger } from '../client/kafka-log.js';
import { encodeRecord } from '../ledger/record-codec.js';
import type { BrokerClock } from './broker-clock.js';
import type { PartitionSession } from './partition-session.js';

export interface LedgerWriterSetting {
  readonly topic: string;
  readonly link: ClusterLink;
  readonly clock: BrokerClock;
  readonly logger: KafkaLogger;
  readonly sessions: () => Iterable<PartitionSession>;
  /** Whether this worker may still write: it must not once its leases may be another's. */
  readonly mayWrite: () => boolean;
  /** Whether nobody is held up when writes wait for more to write. */
  readonly mayGather: () => boolean;
  readonly onWritten: (session: PartitionSession) => void;
}

/** Settlements wait so long for company; a write under way gathers them as well. */
const GATHER_MS = 3;
const RETRY_MS = { first: 50, most: 1_000 };

/**
 * Writes ledgers: one request a broker at a time, with everything of all its partitions in it. What may not have been
 * written is written again as it was, under the same numbers, until it is known to be there: a record that is there
 * twice counts once.
 */
export class LedgerWriter {
  readonly #busy = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #immediate: NodeJS.Immediate | undefined;
  #failures = 0;
  #pausedUntil = 0;
  #closed = false;

  /** One for all: it is asked for with every settlement. */
  readonly #writeNow = (): void => {
    clearTimeout(this.#timer);
    this.#timer = this.#immediate = undefined;
    this.#writeAll();
  };

  constructor(private readonly setting: LedgerWriterSetting) {}

  /** Writes soon; `now` without waiting for more. */
  wake(now: boolean): void {
    if (this.#closed || this.#immediate || (this.#timer && !now)) return;
    const pauseMs = this.#pausedUntil - performance.now();
    if (now && pauseMs <= 0) this.#immediate = setImmediate(this.#writeNow);
    else this.#timer ??= setTimeout(this.#writeNow, Math.max(GATHER_MS, pauseMs));
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    clearImmediate(this.#immediate);
  }

  #writeAll(): void {
    if (this.#closed || !this.setting.mayWrite()) return;
    const byNode = new Map<string, PartitionSession[]>();
    for (const session of this.setting.sessions()) {
      if (!session.hasToWrite) continue;
      const node = this.setting.link.leaderOf(this.setting.topic, session.partition);
      if (node === undefined) {
        void this.#failed(new Error('the partition has no leader'));
        continue;
      }
      const sessions = byNode.get(node);
      if (sessions) sessions.push(session);
      else byNode.set(node, [session]);
    }
    for (const [node, sessions] of byNode) if (!this.#busy.has(node)) void this.#write(node, sessions);
  }

  async #write(node: string, sessions: readonly PartitionSession[]): Promise<void> {
    this.#busy.add(node);
    const batches: PartitionBatch[] = [];
    for (const session of sessions) {
      const records = session.nextWrite();
      if (records.length === 0) {
        session.written(0);
        continue;
      }
      const messages = records.map((record) => ({ key: null, value: encodeRecord(record) }));
      batches.push({ topic: this.setting.topic, partition: session.partition, messages });
    }
    try {
      if (batches.length > 0) await this.#send(node, batches, sessions);
    } finally {
      this.#busy.delete(node);
    }
    if (this.#hasMore()) this.wake(!this.setting.mayGather());
  }

  async #send(node: string, batches: readonly PartitionBatch[], sessions: readonly PartitionSession[]): Promise<void> {
    const sentAt = Date.now();
    try {
      const appended = await this.setting.link.produce(node, batches);
      if (this.#closed) return;
      this.#failures = 0;
      const answeredAt = Date.now();
      for (const { partition, baseOffset, appendedAt } of appended) {
        if (appendedAt !== undefined) this.setting.clock.heard(sentAt, answeredAt, appendedAt);
        const session = sessions.find((each) => each.partition === partition);
        if (!session) continue;
        session.written(baseOffset);
        this.setting.onWritten(session);
      }
    } catch (error) {
      const type = kafkaErrorType(rootCause(error));
      const tooLarge = type === 'MESSAGE_TOO_LARGE' || type === 'RECORD_LIST_TOO_LARGE';
      if (tooLarge && sessions.map((session) => session.dropCopies()).includes(true)) {
        const message = 'a message is too large for the ledger: set its max.message.bytes 64 KiB above the queue’s';
        this.setting.logger({ level: 'error', message, context: { topic: this.setting.topic } });
      }
      await this.#failed(error);
    }
  }

  async #failed(error: unknown): Promise<void> {
    if (this.#closed) return;
    const waitMs = Math.min(RETRY_MS.most, RETRY_MS.first * 2 ** this.#failures++);
    this.#pausedUntil = performance.now() + waitMs;
    if (this.#failures === 2) {
      const type = kafkaErrorType(rootCause(error));
      this.setting.logger({
        level: 'warn',
        message: `writing the ledger failed: ${type}; trying on`,
        context: { topic: this.setting.topic },
      });
    }
    this.wake(false);
    await this.setting.link.connect([this.setting.topic]).catch(() => undefined);
    await this.setting.link.refresh().catch(() => undefined);
  }

  #hasMore(): boolean {
    for (const session of this.setting.sessions()) if (session.hasToWrite) return true;
    return false;
  }
}
