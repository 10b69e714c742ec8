/**
 * The part of kafkajs 2.2.4 that this driver stands on: its wire protocol, connections and metadata, not its consumer.
 * kafkajs hands a `Cluster` to every partition assigner, with brokers that fetch and produce; joining a group is on the
 * same object, but missing from its types. kafkajs is pinned for this, and a spec checks that the methods are there.
 */
import { Kafka } from './kafkajs.js';
import type { Broker, Cluster, CompressionTypes, Kafka as KafkaClient, Message } from 'kafkajs';
import { registerCodecs } from '../compression/codecs.js';
import type { ResolvedKafkaOptions } from '../kafka-options.js';
import type { Sockets } from './sockets.js';
import { KAFKAJS_LEVEL, kafkajsLog } from './kafka-log.js';

/** One record as kafkajs decodes it. */
export interface RawRecord {
  readonly offset: string;
  readonly timestamp: string;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, Buffer | string | (Buffer | string)[] | undefined>>;
  readonly isControlRecord: boolean;
  readonly batchContext?: { readonly producerId: string; readonly inTransaction: boolean };
}

export interface RawFetchedPartition {
  readonly partition: number;
  readonly errorCode: number;
  readonly highWatermark: string;
  readonly abortedTransactions: readonly { readonly producerId: string; readonly firstOffset: string }[] | null;
  readonly messages: readonly RawRecord[];
  /** Where the records were left undecoded. */
  readonly batches?: Buffer;
}

export interface JoinedGroup {
  readonly generationId: number;
  readonly leaderId: string;
  readonly memberId: string;
  readonly members: readonly { readonly memberId: string; readonly memberMetadata: Buffer }[];
}

export interface ProtocolBroker extends Omit<Broker, 'fetch' | 'produce' | 'describeGroups'> {
  fetch(request: {
    readonly isolationLevel: number;
    readonly maxWaitTime: number;
    readonly minBytes: number;
    readonly maxBytes: number;
    readonly topics: readonly {
      readonly topic: string;
      readonly partitions: readonly {
        readonly partition: number;
        readonly fetchOffset: string;
        readonly maxBytes: number;
      }[];
    }[];
  }): Promise<{
    readonly responses: readonly { readonly topicName: string; readonly partitions: readonly RawFetchedPartition[] }[];
  }>;
  produce(request: {
    readonly acks: number;
    readonly timeout: number;
    readonly compression: CompressionTypes;
    readonly topicData: readonly {
      readonly topic: string;
      readonly partitions: readonly {
        readonly partition: number;
        readonly firstSequence?: number;
        readonly messages: readonly Message[];
      }[];
    }[];
    readonly producerId?: string;
    readonly producerEpoch?: number;
  }): Promise<{
    readonly topics: readonly {
      readonly topicName: string;
      readonly partitions: readonly {
        readonly partition: number;
        readonly baseOffset: string;
        readonly logAppendTime: string;
      }[];
    }[];
  }>;
  describeGroups(request: { readonly groupIds: readonly string[] }): Promise<{
    readonly groups: readonly {
      readonly groupId: string;
      readonly state: string;
      readonly members: readonly { readonly clientId: string }[];
    }[];
  }>;
  initProducerId(request: { readonly transactionTimeout: number }): Promise<{
    readonly producerId: string;
    readonly producerEpoch: number;
  }>;
  joinGroup(request: {
    readonly groupId: string;
    readonly sessionTimeout: number;
    readonly rebalanceTimeout: number;
    readonly memberId: string;
    readonly groupProtocols: readonly { readonly name: string; readonly metadata: Buffer }[];
  }): Promise<JoinedGroup>;
  syncGroup(request: {
    readonly groupId: string;
    readonly generationId: number;
    readonly memberId: string;
    readonly groupAssignment: readonly { readonly memberId: string; readonly memberAssignment: Buffer }[];
  }): Promise<{ readonly memberAssignment: Buffer }>;
  heartbeat(request: {
    readonly groupId: string;
    readonly groupGenerationId: number;
    readonly memberId: string;
  }): Promise<unknown>;
  leaveGroup(request: { readonly groupId: string; readonly memberId: string }): Promise<unknown>;
}

/** @param sockets closes what kafkajs leaves open */
export function newKafka(options: ResolvedKafkaOptions, sockets: Sockets, clientId = options.clientId): KafkaClient {
  registerCodecs();
  return new Kafka({
    clientId,
    brokers: [...options.brokers],
    ssl: options.ssl,
    ...(options.sasl ? { sasl: options.sasl } : {}),
    socketFactory: sockets.factory,
    connectionTimeout: 3_000,
    authenticationTimeout: 5_000,
    requestTimeout: 10_000,
    // This driver tries again by itself, with its own bounds; kafkajs's budget is shared by unrelated requests.
    retry: { retries: 1, initialRetryTime: 100, maxRetryTime: 500 },
    logLevel: KAFKAJS_LEVEL,
    logCreator: kafkajsLog(options.logger),
  });
}

/** A cluster with connections of its own: no long poll or join of one holds up a request of another. */
export function newCluster(kafka: KafkaClient): Cluster {
  let cluster: Cluster | undefined;
  kafka.consumer({
    groupId: 'unused',
    allowAutoTopicCreation: false,
    metadataMaxAge: 30_000,
    partitionAssigners: [
      (given) => {
        cluster = given.cluster;
        const never = (): never => {
          throw new Error('this consumer never runs.');
        };
        return { name: 'unused', version: 0, assign: never, protocol: never };
      },
    ],
  });
  if (!cluster) throw new Error('kafkajs gave no cluster to its assigner: this driver needs kafkajs 2.2.4.');
  return cluster;
}
