import { OffsetOutOfRangeError } from '../client/cluster-link.js';
import type { ClusterLink, FetchedPartition } from '../client/cluster-link.js';
import type { KafkaLogger } from '../client/kafka-log.js';
import { decodeRecord } from '../ledger/record-codec.js';
import type { LedgerRecord } from '../ledger/records.js';
import type { PartitionSession } from './partition-session.js';

export interface LedgerReaderSetting {
  readonly topic: string;
  readonly link: ClusterLink;
  readonly logger: KafkaLogger;
  readonly sessions: () => Iterable<PartitionSession>;
  readonly onRead: (session: PartitionSession) => void;
}

const FETCH_BYTES = 4 * 1024 * 1024;
/** Where others may write any moment the broker tells at once, within this. */
const WATCH_MS = 100;
/** Where only claims and redrives are to be expected. */
const LOOK_EVERY_MS = 400;
const RETRY_MS = 200;

/**
 * Reads what others write into the ledgers: at once where own records wait for it, by long poll where others hold
 * leases, now and then elsewhere.
 */
export class LedgerReader {
  readonly #busy = new Set<string>();
  readonly #timer: NodeJS.Timeout;
  #closed = false;
  #pausedUntil = 0;

  constructor(private readonly setting: LedgerReaderSetting) {
    this.#timer = setInterval(() => this.#pump(true), LOOK_EVERY_MS);
  }

  /** Looks whether anything has to be read now. */
  wake(): void {
    this.#pump(false);
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#timer);
  }

  #pump(all: boolean): void {
    if (this.#closed || performance.now() < this.#pausedUntil) return;
    const byNode = new Map<string, { sessions: PartitionSession[]; urgent: boolean; watched: boolean }>();
    for (const session of this.setting.sessions()) {
      if (session.broken !== undefined) continue;
      const node = this.setting.link.leaderOf(this.setting.topic, session.partition);
      if (node === undefined) {
        void this.setting.link.refresh().catch(() => undefined);
        continue;
      }
      const plan = byNode.get(node) ?? { sessions: [], urgent: false, watched: false };
      byNode.set(node, plan);
      plan.sessions.push(session);
      plan.urgent ||= session.log.hasGap;
      plan.watched ||= isWatched(session);
    }
    for (const [node, { sessions, urgent, watched }] of byNode) {
      if (this.#busy.has(node) || !(all || urgent || watched)) continue;
      void this.#read(node, sessions, urgent ? 0 : watched ? WATCH_MS : 0);
    }
  }

  async #read(node: string, sessions: readonly PartitionSession[], maxWaitMs: number): Promise<void> {
    this.#busy.add(node);
    try {
      const wishes = sessions.map((session) => ({
        topic: this.setting.topic,
        partition: session.partition,
        offset: session.log.next,
        maxBytes: FETCH_BYTES,
      }));
      for (const fetched of await this.setting.link.fetch(node, wishes, maxWaitMs)) this.#apply(sessions, fetched);
    } catch (error) {
      await this.#failed(sessions, error);
    } finally {
      this.#busy.delete(node);
    }
    this.#pump(false);
  }

  #apply(sessions: readonly PartitionSession[], fetched: FetchedPartition): void {
    const session = sessions.find(({ partition }) => partition === fetched.partition);
    if (!session || this.#closed || (fetched.records.length === 0 && !fetched.unreadable)) return;
    try {
      if (fetched.unreadable) throw fetched.unreadable;
      session.log.read(
        fetched.records.map(({ offset, value }): [number, LedgerRecord] => [Number(offset), decodeRecord(value)]),
      );
    } catch (error) {
      session.broken = error instanceof Error ? error.message : String(error);
      this.setting.logger({
        level: 'error',
        message: `the ledger cannot be read, so nothing of this partition is delivered: ${session.broken}`,
        context: { topic: this.setting.topic, partition: session.partition },
      });
      return;
    }
    this.setting.onRead(session);
  }

  async #failed(sessions: readonly PartitionSession[], error: unknown): Promise<void> {
    if (this.#closed) return;
    this.#pausedUntil = performance.now() + RETRY_MS;
    if (!(error instanceof OffsetOutOfRangeError)) {
      await this.setting.link.refresh().catch(() => undefined);
      return;
    }
    const partitions = sessions.map(({ partition }) => partition);
    const starts = await this.setting.link.offsetsOf(this.setting.topic, partitions, 'first').catch(() => undefined);
    for (const session of sessions) {
      const start = starts?.get(session.partition);
      if (start !== undefined && session.log.next < start) session.log.restart(start);
    }
  }
}

/** Others hold leases there, or this worker ends its own where another is the owner. */
function isWatched(session: PartitionSession): boolean {
  return session.owned ? !session.foreign.isEmpty : session.own.hasGiven;
}
