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
  /** Of what is published; undefined: not said. */
  readonly compression: (typeof COMPRESSIONS)[number] | undefined;
}

/** Where queues are, as the environment says. */
export interface QueueEnvironment {
  /** As {@link readKafkaEnvironment}. */
  readonly kafka: KafkaEnvironment | undefined;
  /** From `DATABASE_URL`. */
  readonly databaseUrl: string | undefined;
}

/** Variables that cannot be used. Its message is its problems, a sentence each. */
export class QueueEnvironmentError extends InvalidOptionError {
  /** @param problems each names a variable and what would be right, without a full stop; none repeats what may be secret */
  constructor(readonly problems: readonly string[]) {
    super(problems.map((problem) => `${problem}.`).join(' '));
  }
}

/**
 * Reads the settings of a queue; a variable that is empty counts as unset.
 * @throws QueueEnvironmentError naming every variable that is wrong and what would be right.
 */
export function readQueueEnvironment(env: NodeJS.ProcessEnv = process.env): QueueEnvironment {
  const databaseUrl = env['DATABASE_URL'] || undefined;
  const problems: string[] = [];
  if (databaseUrl !== undefined && !(/^postgres(ql)?:\/\//.test(databaseUrl) && URL.canParse(databaseUrl))) {
    problems.push(wrong('DATABASE_URL', 'is not valid', 'an address like postgres://user:password@host:5432/database'));
  }
  const kafka = kafkaEnvironment(env, problems);
  if (problems.length > 0) throw new QueueEnvironmentError(problems);
  return { kafka, databaseUrl };
}

/**
 * Reads `KAFKA_BROKERS`, `KAFKA_SSL`, `KAFKA_SSL_CA_FILE`, `KAFKA_SASL_MECHANISM`, `KAFKA_SASL_USERNAME`,
 * `KAFKA_SASL_PASSWORD` and `KAFKA_COMPRESSION`; undefined without brokers. A variable that is empty counts as unset.
 * @throws QueueEnvironmentError as {@link readQueueEnvironment}.
 */
export function readKafkaEnvironment(env: NodeJS.ProcessEnv = process.env): KafkaEnvironment | undefined {
  const problems: string[] = [];
  const kafka = kafkaEnvironment(env, problems);
  if (problems.length > 0) throw new QueueEnvironmentError(problems);
  return kafka;
}

function kafkaEnvironment(env: NodeJS.ProcessEnv, problems: string[]): KafkaEnvironment | undefined {
  const brokers = brokersOf(env, problems);
  const ssl = sslOf(env, problems);
  const sasl = saslOf(env, problems);
  const compression = oneOf(COMPRESSIONS, env, 'KAFKA_COMPRESSION', problems);
  return brokers && { brokers, ssl, sasl, compression };
}

function brokersOf(env: NodeJS.ProcessEnv, problems: string[]): readonly string[] | undefined {
  const given = env['KAFKA_BROKERS'];
  if (!given) return undefined;
  const brokers = given.split(',').map((address) => address.trim());
  if (!brokers.every((address) => /^(\[[0-9a-fA-F:]+\]|[^\s:/@]+):\d{1,5}$/.test(address))) {
    // What stands before an @ may be a password.
    const found = given.includes('@') ? 'is not valid' : `is ${quoted(given)}`;
    problems.push(wrong('KAFKA_BROKERS', found, 'addresses like host:9092, with commas between them'));
  }
  return brokers;
}

function sslOf(env: NodeJS.ProcessEnv, problems: string[]): KafkaEnvironment['ssl'] {
  const ssl = env['KAFKA_SSL'] || 'false';
  const caFile = env['KAFKA_SSL_CA_FILE'] || undefined;
  if (ssl !== 'true' && ssl !== 'false') {
    problems.push(wrong('KAFKA_SSL', `is ${quoted(ssl)}`, 'true or false'));
    return false;
  }
  if (caFile === undefined) return ssl === 'true';
  if (ssl === 'false') {
    problems.push('KAFKA_SSL_CA_FILE is set, but KAFKA_SSL is not "true"');
    return false;
  }
  let ca = '';
  try {
    ca = readFileSync(caFile, 'utf8');
  } catch {
    // Said below, as for a file of something else.
  }
  if (ca.includes('-----BEGIN CERTIFICATE-----')) return { ca };
  const right = 'a file of PEM certificates that can be read (-----BEGIN CERTIFICATE-----)';
  problems.push(wrong('KAFKA_SSL_CA_FILE', `is ${quoted(caFile)}`, right));
  return true;
}

function saslOf(env: NodeJS.ProcessEnv, problems: string[]): KafkaEnvironment['sasl'] {
  const mechanism = oneOf(SASL_MECHANISMS, env, 'KAFKA_SASL_MECHANISM', problems);
  const names = ['KAFKA_SASL_MECHANISM', 'KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD'] as const;
  const given = names.filter((name) => env[name]);
  const [username, password] = [env['KAFKA_SASL_USERNAME'], env['KAFKA_SASL_PASSWORD']];
  if (given.length > 0 && given.length < names.length) {
    problems.push(
      'KAFKA_SASL_MECHANISM, KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD belong together; set all three or none',
    );
  }
  return mechanism && username && password ? { mechanism, username, password } : undefined;
}

function oneOf<Choice extends string>(
  choices: readonly Choice[],
  env: NodeJS.ProcessEnv,
  name: string,
  problems: string[],
): Choice | undefined {
  const given = env[name];
  const choice = choices.find((one) => one === given?.toLowerCase());
  if (given && choice === undefined) {
    problems.push(wrong(name, `is ${quoted(given)}`, `one of ${choices.join(', ')}`));
  }
  return choice;
}

function wrong(name: string, found: string, right: string): string {
  return `${name} ${found}; it must be ${right}`;
}

function quoted(value: string): string {
  return JSON.stringify(value.slice(0, 80));
}
