import { ConfigResourceTypes } from './client/kafkajs.js';
import type { Admin } from 'kafkajs';
import { InvalidOptionError } from '../../errors.js';
import { kafkaErrorType, rootCause, within } from './client/kafka-errors.js';
import type { ResolvedKafkaOptions } from './kafka-options.js';

/** Largest payload; a topic's limit is counted over the record with key and headers, so topics get some more. */
export const MAX_PAYLOAD_BYTES = 1024 * 1024;
const QUEUE_MESSAGE_BYTES = MAX_PAYLOAD_BYTES + 128 * 1024;
/** What the ledger and dead letters add to a message of the queue. */
const ENVELOPE_BYTES = 64 * 1024;
const REQUEST_DEADLINE_MS = 15_000;
const KNOWN_WAIT_MS = 10_000;

export function groupIdOf(queue: string, group: string): string {
  return `${queue}.${group}`;
}

export function ledgerTopicOf(queue: string, group: string): string {
  return `${queue}.${group}.ledger`;
}

export function deadLetterTopicOf(queue: string, group: string): string {
  return `${queue}.${group}.dead`;
}

/** What the driver has to know about a queue's topic. */
export interface QueueTopic {
  readonly partitions: number;
  readonly retentionMs: number;
  readonly maxMessageBytes: number;
}

interface Wanted {
  readonly topic: string;
  readonly partitions: number;
  readonly config: Readonly<Record<string, string>>;
}

/**
 * Makes topics where they are missing and checks those that are there; whoever is first makes them, and it makes no
 * difference who.
 */
export class Topics {
  readonly #checked = new Map<string, Promise<unknown>>();

  constructor(
    private readonly admin: () => Promise<Admin>,
    private readonly options: ResolvedKafkaOptions,
  ) {}

  /** @throws InvalidOptionError where the topic cannot serve. */
  queue(queue: string): Promise<QueueTopic> {
    return this.#once(queue, () => this.#queue(queue));
  }

  /** The ledger, with as many partitions as the queue at least, and the dead letters of a group. */
  group(queue: string, group: string): Promise<QueueTopic> {
    return this.#once(groupIdOf(queue, group), () => this.#group(queue, group));
  }

  /** Makes the next use look again: partitions may have been added. */
  forget(queue: string): void {
    for (const key of this.#checked.keys()) if (key === queue || key.startsWith(`${queue}.`)) this.#checked.delete(key);
  }

  async #once<T>(key: string, make: () => Promise<T>): Promise<T> {
    const known = this.#checked.get(key) as Promise<T> | undefined;
    if (known) return known;
    const making = make();
    this.#checked.set(key, making);
    making.catch(() => this.#checked.delete(key));
    return making;
  }

  async #queue(queue: string): Promise<QueueTopic> {
    await this.#ensure({
      topic: queue,
      partitions: this.options.partitions,
      config: {
        'cleanup.policy': 'delete',
        'retention.ms': String(this.options.retentionMs),
        'retention.bytes': '-1',
        // Delays count from the broker's clock, whatever the producer's says.
        'message.timestamp.type': 'LogAppendTime',
        'max.message.bytes': String(QUEUE_MESSAGE_BYTES),
      },
    });
    const config = await this.#configOf(queue);
    if (config.get('cleanup.policy')?.includes('compact')) {
      throw new InvalidOptionError(
        `topic ${queue} is compacted, which deletes messages not yet handled: set cleanup.policy=delete.`,
      );
    }
    return {
      partitions: await this.#partitionCount(queue),
      retentionMs: retentionOf(config.get('retention.ms')),
      maxMessageBytes: Number(config.get('max.message.bytes') ?? QUEUE_MESSAGE_BYTES),
    };
  }

  async #group(queue: string, group: string): Promise<QueueTopic> {
    const queueTopic = await this.queue(queue);
    const maxBytes = queueTopic.maxMessageBytes + ENVELOPE_BYTES;
    const ledger = ledgerTopicOf(queue, group);
    const dead = deadLetterTopicOf(queue, group);
    await this.#ensure({
      topic: ledger,
      partitions: queueTopic.partitions,
      config: {
        'cleanup.policy': 'delete',
        'retention.ms': '-1',
        'retention.bytes': '-1',
        'message.timestamp.type': 'LogAppendTime',
        'max.message.bytes': String(maxBytes),
        // Trimmed stretches go with their segment; small segments keep the disk near what is needed.
        'segment.bytes': String(16 * 1024 * 1024),
      },
    });
    await this.#ensure({
      topic: dead,
      partitions: 1,
      config: {
        'cleanup.policy': 'compact,delete',
        'retention.ms': String(this.options.deadLetterRetentionMs),
        'message.timestamp.type': 'LogAppendTime',
        'max.message.bytes': String(maxBytes),
      },
    });
    await this.#checkLedger(ledger, queueTopic);
    return queueTopic;
  }

  async #checkLedger(ledger: string, queueTopic: QueueTopic): Promise<void> {
    const config = await this.#configOf(ledger);
    const wrong: string[] = [];
    if (config.get('cleanup.policy') !== 'delete') wrong.push('cleanup.policy=delete');
    if (config.get('retention.ms') !== '-1') wrong.push('retention.ms=-1');
    if (config.get('retention.bytes') !== '-1') wrong.push('retention.bytes=-1');
    if (config.get('message.timestamp.type') !== 'LogAppendTime') wrong.push('message.timestamp.type=LogAppendTime');
    if (Number(config.get('max.message.bytes')) < queueTopic.maxMessageBytes) {
      wrong.push(`max.message.bytes=${queueTopic.maxMessageBytes + ENVELOPE_BYTES}`);
    }
    if (wrong.length > 0)
      throw new InvalidOptionError(`topic ${ledger} cannot serve as a ledger: set ${wrong.join(', ')}.`);
    if ((await this.#partitionCount(ledger)) >= queueTopic.partitions) return;
    const admin = await this.admin();
    await within(
      REQUEST_DEADLINE_MS,
      'create partitions',
      admin.createPartitions({ topicPartitions: [{ topic: ledger, count: queueTopic.partitions }] }),
    ).catch((error: unknown) => {
      // Another worker added them in the meantime.
      if (kafkaErrorType(error) !== 'INVALID_PARTITIONS') throw error;
    });
  }

  async #ensure({ topic, partitions, config }: Wanted): Promise<void> {
    const admin = await this.admin();
    const existing = await within(REQUEST_DEADLINE_MS, 'list topics', admin.listTopics());
    if (existing.includes(topic)) return;
    const { brokers } = await within(REQUEST_DEADLINE_MS, 'describe cluster', admin.describeCluster());
    const replicationFactor = this.options.replicationFactor ?? Math.min(3, brokers.length);
    const durability = replicationFactor >= 3 ? { 'min.insync.replicas': '2' } : {};
    const configEntries = Object.entries({ ...config, ...durability }).map(([name, value]) => ({ name, value }));
    await within(
      REQUEST_DEADLINE_MS,
      'create topic',
      admin.createTopics({
        waitForLeaders: false,
        topics: [{ topic, numPartitions: partitions, replicationFactor, configEntries }],
      }),
    ).catch((error: unknown) => {
      if (!saysItExists(error)) throw error;
    });
    await this.#waitForLeaders(admin, topic);
  }

  async #waitForLeaders(admin: Admin, topic: string): Promise<void> {
    const deadline = Date.now() + REQUEST_DEADLINE_MS;
    while (Date.now() < deadline) {
      const { topics } = await onceKnown('metadata', () => admin.fetchTopicMetadata({ topics: [topic] }));
      if (topics[0]?.partitions.every(({ leader }) => leader >= 0)) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async #partitionCount(topic: string): Promise<number> {
    const admin = await this.admin();
    const { topics } = await onceKnown('metadata', () => admin.fetchTopicMetadata({ topics: [topic] }));
    return topics[0]?.partitions.length ?? 0;
  }

  async #configOf(topic: string): Promise<ReadonlyMap<string, string>> {
    const admin = await this.admin();
    const { resources } = await onceKnown('describe configs', () =>
      admin.describeConfigs({ includeSynonyms: false, resources: [{ type: ConfigResourceTypes.TOPIC, name: topic }] }),
    );
    return new Map((resources[0]?.configEntries ?? []).map(({ configName, configValue }) => [configName, configValue]));
  }
}

/** Brokers hear of a new topic one after another: what one knows the next may not yet. */
async function onceKnown<T>(during: string, ask: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + KNOWN_WAIT_MS;
  for (;;) {
    try {
      return await within(REQUEST_DEADLINE_MS, during, ask());
    } catch (error) {
      const type = kafkaErrorType(rootCause(error));
      const isUnknown = type === 'UNKNOWN_TOPIC_OR_PARTITION' || type === 'LEADER_NOT_AVAILABLE';
      if (!isUnknown || Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

function retentionOf(value: string | undefined): number {
  const retentionMs = Number(value ?? -1);
  return retentionMs < 0 ? Number.POSITIVE_INFINITY : retentionMs;
}

function saysItExists(error: unknown): boolean {
  if (kafkaErrorType(error) === 'TOPIC_ALREADY_EXISTS') return true;
  const errors = (error as { errors?: readonly unknown[] }).errors;
  return (
    Array.isArray(errors) &&
    errors.length > 0 &&
    errors.every((each) => kafkaErrorType(each) === 'TOPIC_ALREADY_EXISTS')
  );
}
