import type { ConnectionOptions } from 'node:tls';
import type { ISocketFactory, SASLOptions } from 'kafkajs';
import { InvalidOptionError } from '../../errors.js';
import type { KafkaLogger } from './client/kafka-log.js';
import { COMPRESSIONS } from './compression/codecs.js';
import type { Compression } from './compression/codecs.js';

/** Where the brokers are, and how the driver uses them. */
export interface KafkaDriverOptions {
  /** `host:port` of one broker or more; the others are found through them. */
  readonly brokers: readonly string[];
  /** `true`, or the options of Node's TLS. */
  readonly ssl?: boolean | ConnectionOptions;
  /** `plain`, `scram-sha-256` or `scram-sha-512` with user name and password, or what else kafkajs knows. */
  readonly sasl?: SASLOptions;
  /** Begins every client id. Default `ackline`. */
  readonly clientId?: string;
  readonly logger?: KafkaLogger;
  /** Partitions of queues that this driver creates. Default 8: at most so many workers of a group share a queue. */
  readonly partitions?: number;
  /** Copies of what this driver creates. Default: 3, or as many as there are brokers. */
  readonly replicationFactor?: number;
  /** How long queues keep messages (promise 14). Default 7 days. */
  readonly retentionMs?: number;
  /** How long dead letters are kept. Default 30 days. */
  readonly deadLetterRetentionMs?: number;
  /** How published messages are compressed. Default `none`. Read is whatever others used: gzip, Snappy, LZ4, Zstandard. */
  readonly compression?: Compression;
  /** Makes connections; for proxies, and for tests that cut them. Default: Node's own. */
  readonly socketFactory?: ISocketFactory;
  /** Bound of one publish or settlement with the cluster not answering. Default 15 s. */
  readonly requestDeadlineMs?: number;
}

export type ResolvedKafkaOptions = Required<Omit<KafkaDriverOptions, Optional>> & Pick<KafkaDriverOptions, Optional>;
type Optional = 'sasl' | 'replicationFactor' | 'socketFactory';

const DAY_MS = 24 * 60 * 60 * 1000;

/** @throws InvalidOptionError naming the option. */
export function resolveKafkaOptions(options: KafkaDriverOptions): ResolvedKafkaOptions {
  const resolved = {
    ssl: false,
    clientId: 'ackline',
    logger: () => undefined,
    partitions: 8,
    retentionMs: 7 * DAY_MS,
    deadLetterRetentionMs: 30 * DAY_MS,
    requestDeadlineMs: 15_000,
    compression: 'none' as const,
    ...options,
  };
  if (!Array.isArray(resolved.brokers) || resolved.brokers.length === 0 || !resolved.brokers.every(isAddress)) {
    throw new InvalidOptionError(`brokers must be a list of "host:port", not ${JSON.stringify(resolved.brokers)}.`);
  }
  for (const name of ['partitions', 'retentionMs', 'deadLetterRetentionMs', 'requestDeadlineMs'] as const) {
    if (!Number.isInteger(resolved[name]) || resolved[name] < 1) {
      throw new InvalidOptionError(`${name} must be a whole number above 0, not ${resolved[name]}.`);
    }
  }
  if (!COMPRESSIONS.includes(resolved.compression)) {
    throw new InvalidOptionError(`compression must be one of ${COMPRESSIONS.join(', ')}, not ${resolved.compression}.`);
  }
  return resolved;
}

function isAddress(address: unknown): boolean {
  return typeof address === 'string' && /^.+:\d{1,5}$/.test(address);
}
