import { readFileSync } from 'node:fs';
import { InvalidOptionError } from '../errors.js';

const SASL_MECHANISMS = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;
/** SASL mechanisms that the Kafka client speaks. */
export type SaslMechanism = (typeof SASL_MECHANISMS)[number];
const COMPRESSIONS = ['none', 'gzip', 'snappy'] as const;

/** How the brokers are reached. */
export interface KafkaEnvironment {
  /** `host:port` each. */
  readonly brokers: readonly string[];
  /** `ca`: PEM certificates of the authorities that are trusted, in place of the system's. */
  readonly ssl: boolean | { readonly ca: string };
  readonly sasl:
    { readonly mechanism: SaslMechanism; readonly username: string; readonly password: string } | undefined;
  readonly compression: (typeof COMPRESSIONS)[number];
}

/** Where queues are, as the environment says. */
export interface QueueEnvironment {
  /**
   * From `KAFKA_BROKERS`, `KAFKA_SSL`, `KAFKA_SSL_CA_FILE`, `KAFKA_SASL_MECHANISM`, `KAFKA_SASL_USERNAME`,
   * `KAFKA_SASL_PASSWORD`, `KAFKA_COMPRESSION`.
   */
  readonly kafka: KafkaEnvironment | undefined;
  /** From `DATABASE_URL`. */
  readonly databaseUrl: string | undefined;
}

/**
 * Reads the settings of a queue; a variable that is empty counts as unset.
 * @throws InvalidOptionError naming the variable and what would be right; no value that may hold a secret is repeated.
 */
export function readQueueEnvironment(env: NodeJS.ProcessEnv = process.env): QueueEnvironment {
  const databaseUrl = env['DATABASE_URL'] || undefined;
  if (databaseUrl !== undefined && !(/^postgres(ql)?:\/\//.test(databaseUrl) && URL.canParse(databaseUrl))) {
    throw wrong('DATABASE_URL', 'is not valid', 'an address like postgres://user:password@host:5432/database');
  }
  return { kafka: kafkaEnvironment(env), databaseUrl };
}

function kafkaEnvironment(env: NodeJS.ProcessEnv): KafkaEnvironment | undefined {
  const ssl = sslOf(env);
  const asked = env['KAFKA_COMPRESSION'] || 'none';
  const compression = COMPRESSIONS.find((one) => one === asked.toLowerCase());
  if (compression === undefined)
    throw wrong('KAFKA_COMPRESSION', `is ${quoted(asked)}`, `one of ${COMPRESSIONS.join(', ')}`);
  const sasl = saslOf(env);
  if (!env['KAFKA_BROKERS']) return undefined;
  const brokers = env['KAFKA_BROKERS'].split(',').map((address) => address.trim());
  const strange = brokers.find((address) => !/^(\[[0-9a-fA-F:]+\]|[^\s:/@]+):\d{1,5}$/.test(address));
  if (strange !== undefined) {
    throw wrong('KAFKA_BROKERS', `has ${quoted(strange)}`, 'addresses like host:9092, with commas between them');
  }
  return { brokers, ssl, sasl, compression };
}

function sslOf(env: NodeJS.ProcessEnv): KafkaEnvironment['ssl'] {
  const ssl = env['KAFKA_SSL'] || 'false';
  if (ssl !== 'true' && ssl !== 'false') throw wrong('KAFKA_SSL', `is ${quoted(ssl)}`, 'true or false');
  const caFile = env['KAFKA_SSL_CA_FILE'] || undefined;
  if (caFile === undefined) return ssl === 'true';
  if (ssl === 'false') throw new InvalidOptionError('KAFKA_SSL_CA_FILE is set: KAFKA_SSL must be true.');
  let ca = '';
  try {
    ca = readFileSync(caFile, 'utf8');
  } catch {
    // Said below, as for a file of something else.
  }
  if (ca.includes('-----BEGIN CERTIFICATE-----')) return { ca };
  const right = 'a file of PEM certificates that can be read (-----BEGIN CERTIFICATE-----)';
  throw wrong('KAFKA_SSL_CA_FILE', `is ${quoted(caFile)}`, right);
}

function saslOf(env: NodeJS.ProcessEnv): KafkaEnvironment['sasl'] {
  const asked = env['KAFKA_SASL_MECHANISM'] || undefined;
  const username = env['KAFKA_SASL_USERNAME'] || undefined;
  const password = env['KAFKA_SASL_PASSWORD'] || undefined;
  const given = [asked, username, password].filter((value) => value !== undefined).length;
  if (given === 0) return undefined;
  if (asked === undefined || username === undefined || password === undefined) {
    throw new InvalidOptionError(
      'KAFKA_SASL_MECHANISM, KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD belong together: set all three or none.',
    );
  }
  const mechanism = SASL_MECHANISMS.find((one) => one === asked.toLowerCase());
  if (mechanism === undefined) {
    throw wrong('KAFKA_SASL_MECHANISM', `is ${quoted(asked)}`, `one of ${SASL_MECHANISMS.join(', ')}`);
  }
  return { mechanism, username, password };
}

function wrong(name: string, found: string, right: string): InvalidOptionError {
  return new InvalidOptionError(`${name} ${found}: it must be ${right}.`);
}

function quoted(value: string): string {
  return JSON.stringify(value.slice(0, 80));
}
