import type { Message as OutgoingRecord } from 'kafkajs';
import { BrokerUnavailableError, ClosedError, InvalidMessageError } from '../../errors.js';
import type { PreparedMessage } from '../../message.js';
import type { ClusterLink, PartitionBatch, ProducerIdentity } from './client/cluster-link.js';
import { asUnavailable, kafkaErrorType, rootCause } from './client/kafka-errors.js';
import { Partitioners } from './client/kafkajs.js';
import { toRecord } from './kafka-message.js';

/** One call's share of one partition: stays together and in order. */
interface Parcel {
  readonly records: readonly OutgoingRecord[];
  readonly bytes: number;
  readonly deadline: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

interface Lane {
  readonly topic: string;
  readonly partition: number;
  readonly waiting: Parcel[];
  /** Sent once at least, with these numbers; sent again as it is until it is known to be there. */
  sent: readonly Parcel[] | undefined;
  /** Of the next batch, among the batches of `identity`. */
  sequence: number;
  identity: ProducerIdentity | undefined;
}

/** A batch has to stay below the topic's limit; a single message may take more. */
const BATCH_BYTES = 512 * 1024;
const BATCH_RECORDS = 5_000;
const RETRY_MS = { first: 50, most: 1_000 };
/** The broker no longer has this producer's numbers, or they do not match: only a new producer can go on. */
const SPENT = new Set([
  'OUT_OF_ORDER_SEQUENCE_NUMBER',
  'UNKNOWN_PRODUCER_ID',
  'INVALID_PRODUCER_EPOCH',
  'INVALID_PRODUCER_ID_MAPPING',
]);
const TOO_LARGE = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE']);

/**
 * Publishes idempotently: one batch a partition under way, numbered, sent again unchanged. kafkajs's own producer chooses
 * partitions anew when it tries again, under the old numbers, which loses messages; this one does not use it.
 */
export class Publisher {
  readonly #lanes = new Map<string, Lane>();
  readonly #busy = new Set<string>();
  readonly #partition = Partitioners.DefaultPartitioner();
  #identity: Promise<ProducerIdentity> | undefined;
  #turn = Math.floor(Math.random() * 1_024);
  #failures = 0;
  #pausedUntil = 0;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(
    private readonly link: ClusterLink,
    private readonly deadlineMs: number,
  ) {}

  /** Resolves when all are durable. The queue's topic exists. */
  async publish(queue: string, messages: readonly PreparedMessage[]): Promise<void> {
    if (this.link.partitionsOf(queue).length === 0) await this.link.connect([queue]);
    const partitions = this.link.partitionsOf(queue);
    if (partitions.length === 0) throw new BrokerUnavailableError(`topic ${queue} is not known to the broker yet.`);
    const byPartition = new Map<number, OutgoingRecord[]>();
    // Messages without a key go to one partition after another, in stretches: fewer, larger batches.
    const stretch = Math.max(1, Math.ceil(messages.length / partitions.length));
    messages.forEach((message, index) => {
      if (index % stretch === 0) this.#turn++;
      const partition =
        message.key === undefined ? this.#turn % partitions.length : this.#byKey(queue, partitions, message.key);
      const records = byPartition.get(partition);
      if (records) records.push(toRecord(message));
      else byPartition.set(partition, [toRecord(message)]);
    });
    const parcels = [...byPartition].flatMap(([partition, records]) => this.#enqueue(queue, partition, records));
    this.#pump();
    const results = await Promise.allSettled(parcels);
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  }

  async close(deadlineMs: number): Promise<void> {
    const deadline = performance.now() + deadlineMs;
    while (this.#hasWork() && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 10));
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const lane of this.#lanes.values()) {
      for (const { reject } of [...(lane.sent ?? []), ...lane.waiting])
        reject(new ClosedError('the driver is closed.'));
    }
    this.#lanes.clear();
  }

  #byKey(topic: string, partitions: readonly number[], key: string): number {
    const partitionMetadata = partitions.map((partitionId) => ({
      partitionId,
      leader: 0,
      partitionErrorCode: 0,
      isr: [],
      replicas: [],
    }));
    return this.#partition({ topic, partitionMetadata, message: { key, value: null } });
  }

  #enqueue(topic: string, partition: number, records: readonly OutgoingRecord[]): Promise<void>[] {
    const name = `${topic}/${partition}`;
    const lane = this.#lanes.get(name) ?? {
      topic,
      partition,
      waiting: [],
      sent: undefined,
      sequence: 0,
      identity: undefined,
    };
    this.#lanes.set(name, lane);
    const deadline = performance.now() + this.deadlineMs;
    return inParcels(records).map(
      ({ records: some, bytes }) =>
        new Promise((resolve, reject) => lane.waiting.push({ records: some, bytes, deadline, resolve, reject })),
    );
  }

  #pump(): void {
    const pauseMs = this.#pausedUntil - performance.now();
    if (this.#closed) return;
    if (pauseMs > 0) {
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined;
        this.#pump();
      }, pauseMs);
      return;
    }
    const byNode = new Map<string, Lane[]>();
    for (const lane of this.#lanes.values()) {
      if (!lane.sent && lane.waiting.length === 0) continue;
      const node = this.link.leaderOf(lane.topic, lane.partition);
      if (node === undefined) void this.#failed(new BrokerUnavailableError('a partition has no leader now.'));
      else if (byNode.has(node)) byNode.get(node)!.push(lane);
      else byNode.set(node, [lane]);
    }
    for (const [node, lanes] of byNode) if (!this.#busy.has(node)) void this.#send(node, lanes);
  }

  async #send(node: string, lanes: readonly Lane[]): Promise<void> {
    this.#busy.add(node);
    try {
      const identity = await this.#identified();
      for (const lane of lanes) {
        lane.sent ??= nextBatch(lane);
        if (lane.identity !== identity) [lane.identity, lane.sequence] = [identity, 0];
      }
      await this.link.produce(node, lanes.map(toBatch), identity);
      this.#failures = 0;
      for (const lane of lanes) settle(lane);
    } catch (error) {
      await this.#sendFailed(node, lanes, error);
    } finally {
      this.#busy.delete(node);
    }
    this.#pump();
  }

  async #sendFailed(node: string, lanes: readonly Lane[], error: unknown): Promise<void> {
    const type = kafkaErrorType(rootCause(error));
    if (TOO_LARGE.has(type)) {
      if (lanes.length > 1) {
        // One of them: the others must not fail with it.
        for (const lane of lanes) await this.#sendAlone(node, lane);
        return;
      }
      return this.#sendInPieces(lanes[0]!, error);
    }
    if (SPENT.has(type)) this.#renew();
    await this.#failed(error);
  }

  async #sendAlone(node: string, lane: Lane): Promise<void> {
    try {
      await this.link.produce(node, [toBatch(lane)], lane.identity);
      settle(lane);
    } catch (error) {
      await this.#sendFailed(node, [lane], error);
    }
  }

  /** The broker refused the whole batch, so its numbers are free: what of it fits goes parcel by parcel. */
  #sendInPieces(lane: Lane, error: unknown): void {
    const [first, ...rest] = lane.sent ?? [];
    if (rest.length > 0) {
      lane.waiting.unshift(...rest);
      lane.sent = [first!];
      return;
    }
    lane.sent = undefined;
    const message = 'the message is larger than its topic allows (max.message.bytes).';
    first?.reject(new InvalidMessageError(message, { cause: error }));
  }

  async #failed(error: unknown): Promise<void> {
    if (this.#closed) return;
    const waitMs = Math.min(RETRY_MS.most, RETRY_MS.first * 2 ** this.#failures++);
    this.#pausedUntil = performance.now() + waitMs;
    const now = performance.now();
    for (const lane of this.#lanes.values()) {
      const isLate = ({ deadline }: Parcel): boolean => deadline < now;
      if (!lane.sent?.some(isLate) && !lane.waiting.some(isLate)) continue;
      for (const parcel of [...(lane.sent ?? []), ...lane.waiting]) parcel.reject(asUnavailable('publish', error));
      // Whether the batch is there is not known, so its numbers can be used no more.
      if (lane.sent) this.#renew();
      lane.sent = undefined;
      lane.waiting.length = 0;
    }
    await this.link.connect().catch(() => undefined);
    await this.link.refresh().catch(() => undefined);
    this.#pump();
  }

  #identified(): Promise<ProducerIdentity> {
    const identity = (this.#identity ??= this.link.newProducer());
    identity.catch(() => {
      if (this.#identity === identity) this.#identity = undefined;
    });
    return identity;
  }

  /** New numbers for all. A batch whose answer was lost may then be there twice: under the same message ids. */
  #renew(): void {
    this.#identity = undefined;
  }

  #hasWork(): boolean {
    return [...this.#lanes.values()].some(({ sent, waiting }) => sent !== undefined || waiting.length > 0);
  }
}

function nextBatch({ waiting }: Lane): Parcel[] {
  const batch: Parcel[] = [];
  let [bytes, count] = [0, 0];
  for (let next = waiting[0]; next; next = waiting[0]) {
    bytes += next.bytes;
    count += next.records.length;
    if (batch.length > 0 && (bytes > BATCH_BYTES || count > BATCH_RECORDS)) break;
    batch.push(waiting.shift()!);
  }
  return batch;
}

function toBatch({ topic, partition, sent = [], sequence }: Lane): PartitionBatch {
  return { topic, partition, messages: sent.flatMap(({ records }) => records), firstSequence: sequence };
}

function settle(lane: Lane): void {
  for (const { resolve, records } of lane.sent ?? []) {
    // Numbers are 31 bits and go round.
    lane.sequence = (lane.sequence + records.length) % 2_147_483_648;
    resolve();
  }
  lane.sent = undefined;
}

function inParcels(records: readonly OutgoingRecord[]): { records: OutgoingRecord[]; bytes: number }[] {
  const parcels: { records: OutgoingRecord[]; bytes: number }[] = [];
  for (const record of records) {
    const bytes = (record.value?.length ?? 0) + 512;
    const last = parcels.at(-1);
    if (last && last.bytes + bytes <= BATCH_BYTES && last.records.length < BATCH_RECORDS) {
      last.records.push(record);
      last.bytes += bytes;
    } else {
      parcels.push({ records: [record], bytes });
    }
  }
  return parcels;
}
