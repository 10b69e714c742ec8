import type { Admin, Kafka } from 'kafkajs';
import { BrokerUnavailableError, ClosedError, InvalidMessageError } from '../../errors.js';
import type { PreparedMessage } from '../../message.js';
import type {
  DeadLetterStore,
  DriverFeatures,
  EphemeralOptions,
  EphemeralReader,
  GroupMember,
  GroupOptions,
  GroupStats,
  QueueDriver,
} from '../../queue-driver.js';
import { ClusterLink } from './client/cluster-link.js';
import { asUnavailable, within } from './client/kafka-errors.js';
import { newKafka } from './client/kafkajs-protocol.js';
import { Sockets } from './client/sockets.js';
import { compressionType } from './compression/codecs.js';
import { DeadLetterIndex } from './dead-letter-index.js';
import { deadLetterRecord } from './dead-letter-record.js';
import { GroupView } from './group-view.js';
import { KafkaDeadLetters } from './kafka-dead-letters.js';
import { KafkaEphemeralReader } from './kafka-ephemeral-reader.js';
import type { ResolvedKafkaOptions } from './kafka-options.js';
import { encodeRecord } from './ledger/record-codec.js';
import { KafkaGroupMember } from './member/kafka-group-member.js';
import { Publisher } from './publisher.js';
import { MAX_PAYLOAD_BYTES, Topics, deadLetterTopicOf, ledgerTopicOf } from './topics.js';

const ADMIN_DEADLINE_MS = 15_000;
const START_RETRY_MS = 500;
const QUEUE_NAME = /^[a-z0-9-]{1,80}$/;
const LEDGER_NAME = /^([a-z0-9-]{1,80})\.([a-z0-9-]{1,80})\.ledger$/;

/** Queues on Kafka: plain topics, and beside each group of one a ledger of what is leased, done and waiting. */
export class KafkaDriver implements QueueDriver {
  readonly features: DriverFeatures = {
    name: 'kafka',
    durable: true,
    multiProcess: true,
    transactionalPublish: false,
    maxPayloadBytes: MAX_PAYLOAD_BYTES,
  };

  readonly #sockets: Sockets;
  readonly #kafka: Kafka;
  readonly #link: ClusterLink;
  readonly #publishLink: ClusterLink;
  readonly #topics: Topics;
  readonly #publisher: Publisher;
  readonly #members = new Set<KafkaGroupMember>();
  readonly #readers = new Set<KafkaEphemeralReader>();
  readonly #indexes = new Map<string, DeadLetterIndex>();
  readonly #views = new Map<string, GroupView>();
  #admin: Promise<Admin> | undefined;
  #closing: Promise<void> | undefined;

  constructor(private readonly options: ResolvedKafkaOptions) {
    this.#sockets = new Sockets(options.socketFactory);
    this.#kafka = newKafka(options, this.#sockets);
    this.#link = new ClusterLink(this.#kafka);
    this.#publishLink = new ClusterLink(this.#kafka, compressionType(options.compression));
    this.#publisher = new Publisher(this.#publishLink, options.requestDeadlineMs);
    this.#topics = new Topics(() => this.#connectedAdmin(), options);
  }

  async start(signal?: AbortSignal): Promise<void> {
    for (;;) {
      try {
        return await this.ping(ADMIN_DEADLINE_MS);
      } catch (error) {
        if (signal?.aborted || this.#closing) throw error;
        this.options.logger({ level: 'warn', message: 'waiting for Kafka', context: { why: String(error) } });
        await new Promise((resolve) => setTimeout(resolve, START_RETRY_MS));
      }
    }
  }

  async publish(queue: string, messages: readonly PreparedMessage[]): Promise<void> {
    for (const { payload } of messages) {
      if (payload.byteLength > MAX_PAYLOAD_BYTES) {
        throw new InvalidMessageError(
          `payload is ${payload.byteLength} bytes: Kafka queues take ${MAX_PAYLOAD_BYTES}.`,
        );
      }
    }
    if (messages.length === 0) return;
    await this.#bounded('publish', async () => {
      await this.#topics.queue(queue);
      await this.#publisher.publish(queue, messages);
    });
  }

  async join(options: GroupOptions): Promise<GroupMember> {
    return this.#bounded('join', async () => {
      const { queue, group } = options;
      this.#topics.forget(queue);
      const { retentionMs } = await this.#topics.group(queue, group);
      await this.#makeGroup(options);
      if (this.#closing) throw new ClosedError('the driver is closed.');
      const member = new KafkaGroupMember({
        options: this.options,
        group: options,
        retentionMs,
        growLedger: async () => {
          this.#topics.forget(queue);
          await this.#topics.group(queue, group);
        },
        trim: (topic, partition, offset) => void this.#trim(topic, partition, offset),
        writeDeadLetter: async (origin, meta, message) => {
          const topic = deadLetterTopicOf(queue, group);
          const messages = [deadLetterRecord(origin, meta, message)];
          await this.#bounded('dead letter', () => this.#link.produceOne({ topic, partition: 0, messages }));
        },
        onLeft: (left) => this.#members.delete(left),
      });
      this.#members.add(member);
      return member;
    });
  }

  async openEphemeral({ queue, from }: EphemeralOptions): Promise<EphemeralReader> {
    return this.#bounded('open a reader', async () => {
      await this.#topics.queue(queue);
      const reader = new KafkaEphemeralReader(queue, new ClusterLink(this.#kafka));
      await reader.open(from);
      this.#readers.add(reader);
      return reader;
    });
  }

  deadLetters(queue: string, group: string): DeadLetterStore {
    const index = async (): Promise<DeadLetterIndex> => {
      await this.#bounded('dead letters', () => this.#topics.group(queue, group));
      return this.#indexOf(queue, group);
    };
    return new KafkaDeadLetters({ queue, group, ledger: ledgerTopicOf(queue, group), link: this.#link, index });
  }

  async queues(): Promise<readonly { readonly queue: string; readonly groups: readonly string[] }[]> {
    return this.#bounded('list topics', async () => {
      const topics = await (await this.#connectedAdmin()).listTopics();
      const groups = topics.flatMap((topic) => {
        const [, queue, group] = LEDGER_NAME.exec(topic) ?? [];
        return queue !== undefined && group !== undefined ? [{ queue, group }] : [];
      });
      return topics
        .filter((topic) => QUEUE_NAME.test(topic))
        .sort()
        .map((queue) => ({
          queue,
          groups: groups
            .filter((each) => each.queue === queue)
            .map(({ group }) => group)
            .sort(),
        }));
    });
  }

  async stats(queue: string, group: string): Promise<GroupStats> {
    return this.#bounded('stats', async () => {
      await this.#topics.group(queue, group);
      const index = this.#indexOf(queue, group);
      await index.refresh();
      const key = `${queue}.${group}`;
      const view =
        this.#views.get(key) ?? new GroupView({ queue, group, ledger: ledgerTopicOf(queue, group), link: this.#link });
      this.#views.set(key, view);
      return view.stats(index.size);
    });
  }

  async ping(deadlineMs: number): Promise<void> {
    const ping = async (): Promise<void> => {
      await (await this.#connectedAdmin()).describeCluster();
    };
    await within(deadlineMs, 'ping', this.#bounded('ping', ping));
  }

  close(deadlineMs: number): Promise<void> {
    this.#closing ??= this.#close(deadlineMs);
    return this.#closing;
  }

  async #close(deadlineMs: number): Promise<void> {
    const deadline = performance.now() + deadlineMs;
    const left = (): number => Math.max(50, deadline - performance.now());
    await Promise.all([
      ...[...this.#members].map((member) => member.leave(deadlineMs * 0.7)),
      ...[...this.#readers].map((reader) => reader.close(deadlineMs * 0.5)),
    ]);
    const admin = this.#admin;
    await this.#publisher.close(left() / 2);
    await Promise.all([
      this.#publishLink.close(left()),
      this.#link.close(left()),
      admin &&
        within(
          left(),
          'disconnect',
          admin.then((each) => each.disconnect()),
        ).catch(() => undefined),
    ]);
    this.#sockets.close();
  }

  /** The group's start, in partitions that have none: whoever is first decides. */
  async #makeGroup({ queue, group, from }: GroupOptions): Promise<void> {
    const ledger = ledgerTopicOf(queue, group);
    await this.#link.connect([queue, ledger]);
    const partitions = this.#link.partitionsOf(queue);
    if (partitions.length === 0) throw new BrokerUnavailableError(`topic ${queue} is not known to the broker yet.`);
    const written = await this.#link.offsetsOf(ledger, partitions, 'next');
    const fresh = partitions.filter((partition) => written.get(partition) === 0);
    const starts = await this.#link.offsetsOf(queue, fresh, from === 'latest' ? 'next' : 'first');
    const inits = fresh.map((partition) => {
      const value = encodeRecord({ type: 'init', low: starts.get(partition) ?? 0 });
      return this.#link.produceOne({ topic: ledger, partition, messages: [{ key: null, value }] });
    });
    await Promise.all(inits);
  }

  #indexOf(queue: string, group: string): DeadLetterIndex {
    const topic = deadLetterTopicOf(queue, group);
    const index = this.#indexes.get(topic) ?? new DeadLetterIndex(topic, this.#link);
    this.#indexes.set(topic, index);
    return index;
  }

  async #trim(topic: string, partition: number, offset: number): Promise<void> {
    try {
      const admin = await this.#connectedAdmin();
      const partitions = [{ partition, offset: String(offset) }];
      // kafkajs deletes records only of topics that it was asked about before.
      await within(ADMIN_DEADLINE_MS, 'trim', admin.fetchTopicOffsets(topic));
      await within(ADMIN_DEADLINE_MS, 'trim', admin.deleteTopicRecords({ topic, partitions }));
    } catch (error) {
      this.options.logger({
        level: 'warn',
        message: 'the ledger could not be trimmed',
        context: { topic, partition, why: String(error) },
      });
    }
  }

  async #connectedAdmin(): Promise<Admin> {
    if (this.#closing) throw new ClosedError('the driver is closed.');
    const connect = async (): Promise<Admin> => {
      const admin = this.#kafka.admin({ retry: { retries: 3, initialRetryTime: 100, maxRetryTime: 1_000 } });
      const connecting = admin.connect();
      // Closed in the meantime, it must not stay open.
      void connecting.then(() => this.#closing && admin.disconnect()).catch(() => undefined);
      await within(ADMIN_DEADLINE_MS, 'connect', connecting);
      return admin;
    };
    const admin = (this.#admin ??= connect());
    admin.catch(() => {
      if (this.#admin === admin) this.#admin = undefined;
    });
    return admin;
  }

  async #bounded<T>(during: string, run: () => Promise<T>): Promise<T> {
    if (this.#closing) throw new ClosedError('the driver is closed.');
    try {
      return await run();
    } catch (error) {
      throw asUnavailable(during, error);
    }
  }
}
