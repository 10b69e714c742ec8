import type { Message } from '../../message.js';
import type { EphemeralReader, EphemeralStart, TakeLimit } from '../../queue-driver.js';
import { OffsetOutOfRangeError } from './client/cluster-link.js';
import type { ClusterLink } from './client/cluster-link.js';
import { fromRecord, originOf, toMessage } from './kafka-message.js';

const FETCH_BYTES = 512 * 1024;
const LONG_POLL_MS = 250;
const TAKE_WAIT_MS = 1_000;
const BUFFERED_BYTES = 4 * 1024 * 1024;
const NEW_PARTITIONS_MS = 5_000;

/**
 * Reads every partition of the queue from its own place, without a group: nothing of it is on the broker, and its place
 * is not lost with a connection.
 */
export class KafkaEphemeralReader implements EphemeralReader {
  readonly #positions = new Map<number, number>();
  readonly #buffer: { readonly message: Message; readonly bytes: number }[] = [];
  #bufferedBytes = 0;
  #lookedAt = performance.now();
  #closed = false;

  constructor(
    private readonly queue: string,
    private readonly link: ClusterLink,
  ) {}

  async open(from: EphemeralStart): Promise<void> {
    await this.link.connect([this.queue]);
    const partitions = this.link.partitionsOf(this.queue);
    const first = await this.link.offsetsOf(this.queue, partitions, 'first');
    const next = await this.link.offsetsOf(this.queue, partitions, 'next');
    const starts =
      typeof from === 'object' ? await this.#lastOf(from.last, first, next) : from === 'latest' ? next : first;
    for (const [partition, offset] of starts) this.#positions.set(partition, offset);
  }

  async take(limit: TakeLimit, signal: AbortSignal): Promise<readonly Message[]> {
    const deadline = performance.now() + TAKE_WAIT_MS;
    let failure: unknown;
    while (this.#buffer.length === 0 && !this.#closed && !signal.aborted && performance.now() < deadline) {
      failure = await this.#fetch().then(
        () => undefined,
        (error: unknown) => error,
      );
      if (failure) await new Promise((resolve) => setTimeout(resolve, 100));
    }
    if (this.#buffer.length === 0 && failure instanceof Error && !this.#closed) throw failure;
    return this.#give(limit);
  }

  async close(deadlineMs: number): Promise<void> {
    this.#closed = true;
    await this.link.close(deadlineMs);
  }

  #give(limit: TakeLimit): readonly Message[] {
    const given: Message[] = [];
    let bytes = 0;
    for (let next = this.#buffer[0]; next && given.length < limit.messages; next = this.#buffer[0]) {
      if (given.length > 0 && bytes + next.bytes > limit.bytes) break;
      this.#buffer.shift();
      bytes += next.bytes;
      given.push(next.message);
    }
    this.#bufferedBytes -= bytes;
    return given;
  }

  async #fetch(): Promise<void> {
    if (this.#bufferedBytes > BUFFERED_BYTES) return;
    await this.#lookForNewPartitions();
    const byNode = new Map<string, number[]>();
    for (const partition of this.#positions.keys()) {
      const node = this.link.leaderOf(this.queue, partition);
      if (node === undefined) await this.link.refresh();
      else if (byNode.has(node)) byNode.get(node)!.push(partition);
      else byNode.set(node, [partition]);
    }
    const results = await Promise.allSettled(
      [...byNode].map(([node, partitions]) => this.#fetchFrom(node, partitions)),
    );
    const failed = results.find((result) => result.status === 'rejected');
    if (!failed) return;
    if (failed.reason instanceof OffsetOutOfRangeError) await this.#findPlace();
    await this.link.refresh().catch(() => undefined);
    throw failed.reason;
  }

  async #fetchFrom(node: string, partitions: readonly number[]): Promise<void> {
    const wishes = partitions.map((partition) => ({
      topic: this.queue,
      partition,
      offset: this.#positions.get(partition)!,
      maxBytes: FETCH_BYTES,
    }));
    const fetched = await this.link.fetch(node, wishes, LONG_POLL_MS);
    for (const { partition, records } of fetched) {
      for (const record of records) {
        const offset = Number(record.offset);
        this.#positions.set(partition, offset + 1);
        if (record.isControlRecord) continue;
        const message = toMessage(
          this.queue,
          originOf(this.queue, partition, offset),
          fromRecord(this.queue, partition, record),
        );
        this.#buffer.push({ message, bytes: message.payload.byteLength });
        this.#bufferedBytes += message.payload.byteLength;
      }
    }
    const unreadable = fetched.find((each) => each.unreadable)?.unreadable;
    if (unreadable) throw unreadable;
  }

  /** What is no longer kept cannot be seen; it goes on with the oldest that is. */
  async #findPlace(): Promise<void> {
    const first = await this.link.offsetsOf(this.queue, [...this.#positions.keys()], 'first');
    for (const [partition, offset] of first) {
      if ((this.#positions.get(partition) ?? 0) < offset) this.#positions.set(partition, offset);
    }
  }

  async #lookForNewPartitions(): Promise<void> {
    if (performance.now() - this.#lookedAt < NEW_PARTITIONS_MS) return;
    this.#lookedAt = performance.now();
    await this.link.refresh();
    for (const partition of this.link.partitionsOf(this.queue)) {
      if (!this.#positions.has(partition)) this.#positions.set(partition, 0);
    }
  }

  /** Where to start in each partition so that the newest `count` of the queue are seen, by publishing time. */
  async #lastOf(
    count: number,
    first: ReadonlyMap<number, number>,
    next: ReadonlyMap<number, number>,
  ): Promise<ReadonlyMap<number, number>> {
    const newest: { readonly partition: number; readonly offset: number; readonly at: number }[] = [];
    for (const [partition, end] of next) {
      let at = Math.max(first.get(partition) ?? 0, end - count);
      while (at < end) {
        const fetched = await this.link.fetchOne(
          { topic: this.queue, partition, offset: at, maxBytes: FETCH_BYTES },
          100,
        );
        for (const { offset, timestamp, isControlRecord } of fetched?.records ?? []) {
          if (!isControlRecord && Number(offset) < end)
            newest.push({ partition, offset: Number(offset), at: Number(timestamp) });
        }
        const last = fetched?.records.at(-1);
        at = last ? Number(last.offset) + 1 : end;
      }
    }
    newest.sort((a, b) => a.at - b.at || a.offset - b.offset);
    const starts = new Map(next);
    for (const { partition, offset } of newest.slice(-count).reverse()) starts.set(partition, offset);
    return starts;
  }
}
