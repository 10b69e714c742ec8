import type { Cluster, CompressionTypes, Kafka, Message } from 'kafkajs';
import { BrokerUnavailableError } from '../../../errors.js';
import { UnreadableBatchError, saysUnreadable, unreadable } from '../compression/unreadable-batch-error.js';
import { asUnavailable, kafkaErrorType, rootCause, within } from './kafka-errors.js';
import { leavingRecords } from './fetch-response.js';
import { newCluster } from './kafkajs-protocol.js';
import type { ProtocolBroker, RawFetchedPartition, RawRecord } from './kafkajs-protocol.js';
import { DecodedCursor, toRecords } from './decoded-cursor.js';
import { BatchCursor } from './record-cursor.js';
import type { RecordCursor } from './record-cursor.js';

export interface PartitionBatch {
  readonly topic: string;
  readonly partition: number;
  readonly messages: readonly Message[];
  /** Number of the first message, where the producer numbers them. */
  readonly firstSequence?: number;
}

/** What a broker gives to a producer that numbers its batches, so that each is kept once. */
export interface ProducerIdentity {
  readonly producerId: string;
  readonly producerEpoch: number;
}

export interface AppendedBatch {
  readonly topic: string;
  readonly partition: number;
  readonly baseOffset: number;
  /** Broker time of the append; undefined where the topic keeps the producer's time. */
  readonly appendedAt: number | undefined;
}

export interface FetchWish {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly maxBytes: number;
}

export interface FetchedPartition {
  readonly topic: string;
  readonly partition: number;
  readonly highWatermark: number;
  /** Ascending, from the wished offset on, decoded when asked for. Control records are in it: they take offsets. */
  readonly records: readonly RawRecord[];
  /** The same, one by one. */
  cursor(): RecordCursor;
  /** Why the batch at the wished offset cannot be read. */
  readonly unreadable?: UnreadableBatchError;
}

/** The wished offset is not in the log. */
export class OffsetOutOfRangeError extends BrokerUnavailableError {}

const READ_COMMITTED = 1;
const NO_COMPRESSION = 0;
const REQUEST_DEADLINE_MS = 12_000;
const CONNECT_DEADLINE_MS = 8_000;
const LEADER_WAIT_MS = 5_000;
/** What a broker, or kafkajs, says where a partition is led by another. */
const MOVED = new Set([
  'NOT_LEADER_FOR_PARTITION',
  'LEADER_NOT_AVAILABLE',
  'UNKNOWN_TOPIC_OR_PARTITION',
  'REPLICA_NOT_AVAILABLE',
  'KafkaJSTopicMetadataNotLoaded',
  'KafkaJSMetadataNotLoaded',
]);
/** After so many failures in a row the connections are made anew: kafkajs now and then keeps a dead one. */
const FAILURES_BEFORE_RENEWAL = 3;

/** One set of connections to the cluster, with every wait bounded and every error of the library's own family. */
export class ClusterLink {
  #cluster: Cluster;
  #topics = new Set<string>();
  #failures = 0;
  #closed = false;

  /** @param compression of what is appended */
  constructor(
    private readonly kafka: Kafka,
    private readonly compression: CompressionTypes = NO_COMPRESSION,
  ) {
    this.#cluster = newCluster(kafka);
  }

  /** Connects, and learns about these topics, which exist. @throws BrokerUnavailableError. */
  async connect(topics: readonly string[] = []): Promise<void> {
    for (const topic of topics) this.#topics.add(topic);
    // A broker that is asked may not have heard of a new topic yet.
    await this.#followingLeader(() =>
      this.#bounded('connect', CONNECT_DEADLINE_MS, async () => {
        await this.#cluster.connect();
        await this.#cluster.addMultipleTargetTopics([...this.#topics]);
        await this.#cluster.refreshMetadataIfNecessary();
      }),
    );
  }

  async refresh(): Promise<void> {
    await this.#bounded('metadata', CONNECT_DEADLINE_MS, () => this.#cluster.refreshMetadata());
  }

  /** As last heard. */
  partitionsOf(topic: string): number[] {
    try {
      const partitions = this.#cluster.findTopicPartitionMetadata(topic);
      return partitions.map(({ partitionId }) => partitionId).sort((a, b) => a - b);
    } catch {
      return [];
    }
  }

  /** Node id of the partition's leader, as last heard. */
  leaderOf(topic: string, partition: number): string | undefined {
    try {
      const found = this.#cluster
        .findTopicPartitionMetadata(topic)
        .find(({ partitionId }) => partitionId === partition);
      return found && found.leader >= 0 ? String(found.leader) : undefined;
    } catch {
      return undefined;
    }
  }

  /** Appends to partitions led by `node`, acks=all. When it throws, any of them may have been written. */
  async produce(
    node: string,
    batches: readonly PartitionBatch[],
    identity?: ProducerIdentity,
  ): Promise<readonly AppendedBatch[]> {
    return this.#onBroker(node, 'produce', REQUEST_DEADLINE_MS, async (broker) => {
      const topicData = batches.map(({ topic, ...batch }) => ({ topic, partitions: [batch] }));
      const { topics } = await broker.produce({
        acks: -1,
        timeout: REQUEST_DEADLINE_MS - 2_000,
        compression: this.compression,
        topicData: byTopic(topicData),
        ...identity,
      });
      return topics.flatMap(({ topicName, partitions }) =>
        partitions.map(({ partition, baseOffset, logAppendTime }) => ({
          topic: topicName,
          partition,
          baseOffset: Number(baseOffset),
          appendedAt: Number(logAppendTime) >= 0 ? Number(logAppendTime) : undefined,
        })),
      );
    });
  }

  /** An identity for a producer that numbers its batches from 0, a partition each. */
  async newProducer(): Promise<ProducerIdentity> {
    return this.#bounded('producer id', REQUEST_DEADLINE_MS, async () => {
      const broker = (await this.#cluster.findControllerBroker()) as unknown as ProtocolBroker;
      const { producerId, producerEpoch } = await broker.initProducerId({ transactionTimeout: 60_000 });
      return { producerId, producerEpoch };
    });
  }

  /** Reads partitions led by `node`; waits up to `maxWaitMs` for the first record. @throws OffsetOutOfRangeError too. */
  async fetch(node: string, wishes: readonly FetchWish[], maxWaitMs: number): Promise<readonly FetchedPartition[]> {
    try {
      return await this.#fetchTogether(node, wishes, maxWaitMs);
    } catch (error) {
      if (error instanceof UnreadableBatchError) return this.#fetchApart(node, wishes);
      throw error;
    }
  }

  /** One batch of each partition, and which cannot be read: kafkajs gives nothing of an answer with one such batch. */
  async #fetchApart(node: string, wishes: readonly FetchWish[]): Promise<readonly FetchedPartition[]> {
    const fetched: FetchedPartition[] = [];
    for (const wish of wishes) {
      try {
        fetched.push(...(await this.#fetchTogether(node, [{ ...wish, maxBytes: 1 }], 0)));
      } catch (error) {
        if (!(error instanceof UnreadableBatchError)) throw error;
        const { topic, partition, offset } = wish;
        const why = `the batch at ${topic}/${partition}/${offset} cannot be read: ${error.message}`;
        const told = new UnreadableBatchError(why, { cause: error });
        const cursor = (): RecordCursor => new DecodedCursor([], offset);
        fetched.push({ topic, partition, highWatermark: 0, records: [], cursor, unreadable: told });
      }
    }
    return fetched;
  }

  async #fetchTogether(
    node: string,
    wishes: readonly FetchWish[],
    maxWaitMs: number,
  ): Promise<readonly FetchedPartition[]> {
    return this.#onBroker(node, 'fetch', REQUEST_DEADLINE_MS + maxWaitMs, async (broker) => {
      const topics = wishes.map(({ topic, partition, offset, maxBytes }) => ({
        topic,
        partitions: [{ partition, fetchOffset: String(offset), maxBytes }],
      }));
      const { responses } = await leavingRecords(broker).fetch({
        isolationLevel: READ_COMMITTED,
        maxWaitTime: maxWaitMs,
        minBytes: 1,
        maxBytes: 16 * 1024 * 1024,
        topics: byTopic(topics),
      });
      return responses.flatMap(({ topicName, partitions }) =>
        partitions.flatMap((fetched) => {
          const wish = wishes.find(({ topic, partition }) => topic === topicName && partition === fetched.partition);
          return wish ? [toFetched(wish, fetched)] : [];
        }),
      );
    });
  }

  /** As {@link fetch} for one partition, wherever its leader is. */
  async fetchOne(wish: FetchWish, maxWaitMs: number): Promise<FetchedPartition | undefined> {
    return this.#followingLeader(async () => {
      const [fetched] = await this.fetch(await this.#leader(wish.topic, wish.partition), [wish], maxWaitMs);
      if (fetched?.unreadable) throw fetched.unreadable;
      return fetched;
    });
  }

  /** Appends to one partition, wherever its leader is; tried again where the leader is another by now. */
  async produceOne(batch: PartitionBatch): Promise<AppendedBatch> {
    return this.#followingLeader(async () => {
      const [appended] = await this.produce(await this.#leader(batch.topic, batch.partition), [batch]);
      if (!appended) throw new BrokerUnavailableError('Kafka gave no answer for the partition (produce).');
      return appended;
    });
  }

  /** First offset in the log, or the one that the next record gets. */
  async offsetsOf(topic: string, partitions: readonly number[], which: 'first' | 'next'): Promise<Map<number, number>> {
    if (partitions.length === 0) return new Map();
    const wanted = partitions.map((partition) => ({ partition }));
    return this.#followingLeader(() =>
      this.#bounded('offsets', REQUEST_DEADLINE_MS, async () => {
        const [found] = await this.#cluster.fetchTopicsOffset([
          { topic, partitions: wanted, fromBeginning: which === 'first' },
        ]);
        return new Map((found?.partitions ?? []).map(({ partition, offset }) => [partition, Number(offset)]));
      }),
    );
  }

  /** The broker that leads a consumer group. */
  async coordinatorOf(groupId: string): Promise<ProtocolBroker> {
    return this.#bounded('coordinator', CONNECT_DEADLINE_MS, async () => {
      return (await this.#cluster.findGroupCoordinator({ groupId })) as unknown as ProtocolBroker;
    });
  }

  /** Runs one request with its bound. */
  async request<T>(during: string, deadlineMs: number, run: () => Promise<T>): Promise<T> {
    return this.#bounded(during, deadlineMs, run);
  }

  async close(deadlineMs: number): Promise<void> {
    this.#closed = true;
    await within(deadlineMs, 'disconnect', this.#cluster.disconnect()).catch(() => undefined);
  }

  /** Leaders move, and those of a new topic take a moment: asks anew for a few seconds where that is the reason. */
  async #followingLeader<T>(run: () => Promise<T>): Promise<T> {
    const deadline = performance.now() + LEADER_WAIT_MS;
    for (;;) {
      try {
        return await run();
      } catch (error) {
        if (!MOVED.has(kafkaErrorType(rootCause(error))) || performance.now() > deadline) throw error;
        await new Promise((resolve) => setTimeout(resolve, 50));
        await this.refresh().catch(() => undefined);
      }
    }
  }

  async #leader(topic: string, partition: number): Promise<string> {
    const known = this.leaderOf(topic, partition);
    if (known !== undefined) return known;
    await this.connect([topic]);
    await this.refresh();
    const found = this.leaderOf(topic, partition);
    if (found === undefined) throw new BrokerUnavailableError(`${topic}/${partition} has no leader now.`);
    return found;
  }

  async #onBroker<T>(
    node: string,
    during: string,
    deadlineMs: number,
    run: (broker: ProtocolBroker) => Promise<T>,
  ): Promise<T> {
    return this.#bounded(during, deadlineMs, async () => {
      const broker = (await this.#cluster.findBroker({ nodeId: node })) as unknown as ProtocolBroker;
      return run(broker);
    });
  }

  async #bounded<T>(during: string, deadlineMs: number, run: () => Promise<T>): Promise<T> {
    if (this.#closed) throw new BrokerUnavailableError(`the connection is closed (${during}).`);
    try {
      const work = run();
      work.then(this.#afterWork, this.#afterWork);
      const result = await within(deadlineMs, during, work);
      this.#failures = 0;
      return result;
    } catch (error) {
      if (kafkaErrorType(error) === 'OFFSET_OUT_OF_RANGE') {
        throw new OffsetOutOfRangeError('the offset is not in the log.', { cause: error });
      }
      if (saysUnreadable(error)) throw unreadable(error);
      if (isConnectionError(error)) await this.#forget(error);
      throw asUnavailable(during, error);
    }
  }

  /** What was under way when the link was closed may have opened a connection since. */
  readonly #afterWork = (): void => {
    if (this.#closed) void this.#cluster.disconnect().catch(() => undefined);
  };

  /** Drops what cannot be reached, so that the next request looks for the broker anew. */
  async #forget(error: unknown): Promise<void> {
    const { host, port } = error as { host?: string; port?: number };
    try {
      if (host !== undefined && port !== undefined) this.#cluster.removeBroker({ host, port });
    } catch {
      // kafkajs throws here where its seed broker is gone already.
    }
    if (++this.#failures < FAILURES_BEFORE_RENEWAL || this.#closed) return;
    this.#failures = 0;
    const old = this.#cluster;
    this.#cluster = newCluster(this.kafka);
    await within(1_000, 'disconnect', old.disconnect()).catch(() => undefined);
    const work = this.#connectAnew();
    work.then(this.#afterWork, this.#afterWork);
    await within(CONNECT_DEADLINE_MS, 'connect', work).catch(() => undefined);
  }

  async #connectAnew(): Promise<void> {
    await this.#cluster.connect();
    await this.#cluster.addMultipleTargetTopics([...this.#topics]);
  }
}

/** Only answers of a broker leave its connection beyond doubt. */
function isConnectionError(error: unknown): boolean {
  return (error as { name?: string }).name !== 'KafkaJSProtocolError';
}

function byTopic<T extends { readonly topic: string; readonly partitions: readonly unknown[] }>(
  entries: readonly T[],
): { topic: string; partitions: T['partitions'][number][] }[] {
  const topics = new Map<string, T['partitions'][number][]>();
  for (const { topic, partitions } of entries) {
    const known = topics.get(topic);
    if (known) known.push(...partitions);
    else topics.set(topic, [...partitions]);
  }
  return [...topics].map(([topic, partitions]) => ({ topic, partitions }));
}

function toFetched({ topic, partition, offset }: FetchWish, fetched: RawFetchedPartition): FetchedPartition {
  const { batches } = fetched;
  const decoded = (): RawRecord[] => withoutAborted(fetched).filter((record) => Number(record.offset) >= offset);
  const cursor = (): RecordCursor =>
    batches ? new BatchCursor(batches, offset) : new DecodedCursor(decoded(), offset);
  return {
    topic,
    partition,
    highWatermark: Number(fetched.highWatermark),
    cursor,
    get records(): readonly RawRecord[] {
      return batches ? toRecords(cursor()) : decoded();
    },
  };
}

/** Records of aborted transactions; their offsets then count as empty, as those of control records do. */
function withoutAborted({ messages, abortedTransactions }: RawFetchedPartition): readonly RawRecord[] {
  if (!abortedTransactions || abortedTransactions.length === 0) return messages;
  const waiting = [...abortedTransactions].sort((a, b) => Number(a.firstOffset) - Number(b.firstOffset));
  const aborted = new Set<string>();
  return messages.filter((record) => {
    while (waiting[0] && Number(record.offset) >= Number(waiting[0].firstOffset))
      aborted.add(waiting.shift()!.producerId);
    const producerId = record.batchContext?.producerId ?? '';
    if (record.isControlRecord) {
      aborted.delete(producerId);
      return true;
    }
    return !(record.batchContext?.inTransaction && aborted.has(producerId));
  });
}
