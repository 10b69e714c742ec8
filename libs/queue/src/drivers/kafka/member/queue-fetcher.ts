import { OffsetOutOfRangeError } from '../client/cluster-link.js';
import type { ClusterLink } from '../client/cluster-link.js';
import type { RawRecord } from '../client/kafkajs-protocol.js';
import type { UnreadableBatchError } from '../compression/unreadable-batch-error.js';
import type { KafkaLogger } from '../client/kafka-log.js';
import { fromRecord } from '../kafka-message.js';
import { decodeRecord } from '../ledger/record-codec.js';
import type { PartitionSession } from './partition-session.js';

export interface QueueFetcherSetting {
  readonly queue: string;
  readonly ledger: string;
  readonly link: ClusterLink;
  readonly logger: KafkaLogger;
  readonly sessions: () => Iterable<PartitionSession>;
}

/** Fetched and not leased yet: all partitions together, as far as each then has the least that is worth a request. */
const FETCHED_BYTES = { all: 24 * 1024 * 1024, least: 512 * 1024, most: 3 * 1024 * 1024 };
const LONG_POLL_MS = 250;
const RETRY_MS = 200;
const UNREADABLE_RETRY_MS = 30_000;

/** Reads the queue: ahead of the leases, and again what waited and is due. */
export class QueueFetcher {
  readonly #busy = new Set<string>();
  /** Partitions with a batch that cannot be read, and when they are tried again. */
  readonly #blocked = new Map<number, number>();
  #pausedUntil = 0;
  #closed = false;
  #timer: NodeJS.Timeout | undefined;
  #blockTimer: NodeJS.Timeout | undefined;

  constructor(private readonly setting: QueueFetcherSetting) {}

  /** Looks whether there is room for more, or something to be read again. */
  wake(): void {
    if (this.#closed) return;
    const pauseMs = this.#pausedUntil - performance.now();
    if (pauseMs > 0) {
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined;
        this.wake();
      }, pauseMs);
      return;
    }
    const byNode = new Map<string, PartitionSession[]>();
    const sessions = [...this.setting.sessions()];
    const share = FETCHED_BYTES.all / Math.max(1, sessions.length);
    const most = Math.min(FETCHED_BYTES.most, Math.max(FETCHED_BYTES.least, share));
    for (const session of sessions) {
      if (session.claimed && session.candidates.wanted.size > 0 && !session.recalling) void this.#recall(session);
      if (session.roomToFetch(most) === 0 || this.#isBlocked(session)) continue;
      const node = this.setting.link.leaderOf(this.setting.queue, session.partition);
      if (node === undefined) void this.#pause();
      else if (byNode.has(node)) byNode.get(node)!.push(session);
      else byNode.set(node, [session]);
    }
    for (const [node, some] of byNode) if (!this.#busy.has(node)) void this.#fetch(node, some, most);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#blockTimer);
  }

  async #fetch(node: string, sessions: readonly PartitionSession[], most: number): Promise<void> {
    this.#busy.add(node);
    const positions = new Map(sessions.map((session) => [session.partition, session.position]));
    try {
      const wishes = sessions.map((session) => ({
        topic: this.setting.queue,
        partition: session.partition,
        offset: session.position,
        maxBytes: session.roomToFetch(most),
      }));
      for (const fetched of await this.setting.link.fetch(node, wishes, LONG_POLL_MS)) {
        if (this.#closed) break;
        const session = sessions.find((each) => each.partition === fetched.partition);
        if (!session) continue;
        if (fetched.unreadable) this.#block(session, fetched.unreadable);
        session.fetched(positions.get(fetched.partition)!, fetched.cursor());
      }
    } catch (error) {
      if (error instanceof OffsetOutOfRangeError) await this.#findPlace(sessions);
      await this.#pause();
    } finally {
      this.#busy.delete(node);
    }
    this.wake();
  }

  /** Only this partition stands still; its neighbours go on. */
  #block(session: PartitionSession, { message }: UnreadableBatchError): void {
    this.#blocked.set(session.partition, performance.now() + UNREADABLE_RETRY_MS);
    this.#alarm(session, `${message} Its partition waits until the batch expires or is deleted (kafka-delete-records)`);
    this.#blockTimer ??= setTimeout(() => {
      this.#blockTimer = undefined;
      this.wake();
    }, UNREADABLE_RETRY_MS);
  }

  #isBlocked({ partition }: PartitionSession): boolean {
    const until = this.#blocked.get(partition);
    if (until === undefined) return false;
    if (until > performance.now()) return true;
    this.#blocked.delete(partition);
    return false;
  }

  async #pause(): Promise<void> {
    if (this.#closed) return;
    this.#pausedUntil = performance.now() + RETRY_MS;
    this.wake();
    await this.setting.link.refresh().catch(() => undefined);
  }

  /** The queue's log no longer has what comes next: it was trimmed or has expired, or it lost its end. */
  async #findPlace(sessions: readonly PartitionSession[]): Promise<void> {
    const partitions = sessions.map(({ partition }) => partition);
    const first = await this.setting.link.offsetsOf(this.setting.queue, partitions, 'first').catch(() => undefined);
    const next = await this.setting.link.offsetsOf(this.setting.queue, partitions, 'next').catch(() => undefined);
    for (const session of sessions) {
      const start = first?.get(session.partition);
      const end = next?.get(session.partition);
      if (start !== undefined && session.position < start) {
        const expired = session.state.countUntouched(start);
        if (expired > 0) this.#alarm(session, `${expired} messages expired unhandled: they were kept too short a time`);
        session.skip(session.position, start - 1);
        session.position = session.state.nextUntouched(start);
      } else if (end !== undefined && session.position > end) {
        this.#alarm(session, `the queue ends at ${end}, before ${session.position}: the broker has lost messages`);
        session.position = end;
      }
    }
  }

  async #recall(session: PartitionSession): Promise<void> {
    session.recalling = true;
    try {
      // One read of the queue returns a whole batch: neighbours that are due as well come with it.
      for (const offset of [...session.candidates.wanted].sort((a, b) => a - b)) {
        if (this.#closed || !session.claimed) return;
        if (session.candidates.wanted.has(offset)) await this.#recallOne(session, offset);
      }
    } catch {
      await this.#pause();
    } finally {
      session.recalling = false;
    }
    this.wake();
  }

  async #recallOne(session: PartitionSession, offset: number): Promise<void> {
    const entry = session.state.entry(offset);
    if (!entry || entry.lease) return session.candidates.notFound(offset);
    const { partition } = session;
    if (entry.copyAt !== undefined) {
      const copy = await this.setting.link.fetchOne(
        { topic: this.setting.ledger, partition, offset: entry.copyAt, maxBytes: 1 },
        0,
      );
      for (const record of copy?.records ?? []) this.#loadCopy(session, record);
      if (session.candidates.wanted.has(offset)) throw new Error('the copy is not there');
      return session.recalled();
    }
    const fetched = await this.setting.link
      .fetchOne({ topic: this.setting.queue, partition, offset, maxBytes: 1 }, 0)
      .catch((error: unknown) => {
        if (error instanceof OffsetOutOfRangeError) return undefined;
        throw error;
      });
    for (const record of fetched?.records ?? []) {
      const at = Number(record.offset);
      if (session.candidates.wanted.has(at))
        session.candidates.loaded(at, fromRecord(this.setting.queue, partition, record));
    }
    if (session.candidates.wanted.has(offset)) {
      if (fetched && offset >= fetched.highWatermark) throw new Error('not yet readable');
      this.#alarm(session, 'a waiting message expired unhandled: the queue was trimmed');
      session.expire(offset);
    }
    session.recalled();
  }

  /** A record of the ledger, if it is the copy that a wanted message waits for: what was redriven together comes together. */
  #loadCopy(session: PartitionSession, { offset: copyAt, value }: RawRecord): void {
    const record = decodeRecord(value);
    if (record.type !== 'copy' && record.type !== 'redrive') return;
    const { offset, message } = record;
    if (!session.candidates.wanted.has(offset) || session.state.entry(offset)?.copyAt !== Number(copyAt)) return;
    session.candidates.loaded(offset, { ...message, delayMs: 0 });
  }

  #alarm(session: PartitionSession, message: string): void {
    this.setting.logger({
      level: 'error',
      message,
      context: { queue: this.setting.queue, partition: session.partition },
    });
  }
}
