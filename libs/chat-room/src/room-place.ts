import { join } from 'node:path';

/** Brokers and how to speak to them. */
export interface KafkaPlace {
  readonly brokers: readonly string[];
  readonly ssl: boolean;
  readonly sasl:
    | {
        readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
        readonly username: string;
        readonly password: string;
      }
    | undefined;
}

/** Where the room's topic is. */
export interface RoomPlace {
  readonly topic: string;
  /** First choice. */
  readonly kafka: KafkaPlace | undefined;
  /** Second choice. */
  readonly databaseUrl: string | undefined;
  /** Else the database of whoever started one in this folder. */
  readonly dataDir: string;
  /** In it: how a local process connects to that database. */
  readonly connectionFile: string;
}

/** Settings that cannot be used: a sentence for each. */
export class RoomSettingsError extends Error {
  readonly code = 'room_settings';
  readonly retryable = false;
  override readonly name = 'RoomSettingsError';
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
  }
}

const MECHANISMS = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;
const BOOLEANS: Readonly<Record<string, boolean>> = { '': false, false: false, '0': false, true: true, '1': true };

/**
 * Reads where the room is: `KAFKA_TOPIC`; `KAFKA_BROKERS`, `KAFKA_SSL`, `KAFKA_SASL_MECHANISM`, `KAFKA_SASL_USERNAME`,
 * `KAFKA_SASL_PASSWORD`; `DATABASE_URL`; `DATA_DIR`. An empty variable counts as unset.
 * @throws RoomSettingsError that names every bad variable, and repeats no secret.
 */
export function readRoomPlace(env: NodeJS.ProcessEnv = process.env): RoomPlace {
  const problems: string[] = [];
  const topic = env.KAFKA_TOPIC || 'chat-room';
  if (!/^[a-z0-9-]{1,80}$/.test(topic)) {
    problems.push(`KAFKA_TOPIC is "${topic.slice(0, 80)}"; it must be 1 to 80 of a-z, 0-9 and -`);
  }
  const databaseUrl = env.DATABASE_URL || undefined;
  if (databaseUrl !== undefined && !isPostgresUrl(databaseUrl)) {
    problems.push(
      'DATABASE_URL is not valid; it must be a PostgreSQL address like postgres://user:password@host:5432/database',
    );
  }
  const kafka = readKafka(env, problems);
  if (problems.length > 0) throw new RoomSettingsError(problems);
  const dataDir = env.DATA_DIR || 'data';
  return { topic, kafka, databaseUrl, dataDir, connectionFile: join(dataDir, 'connection.json') };
}

function readKafka(env: NodeJS.ProcessEnv, problems: string[]): KafkaPlace | undefined {
  if (!env.KAFKA_BROKERS) return undefined;
  const brokers = env.KAFKA_BROKERS.split(',').map((broker) => broker.trim());
  if (!brokers.every((broker) => /^\S+:\d{1,5}$/.test(broker))) {
    problems.push(`KAFKA_BROKERS is "${env.KAFKA_BROKERS.slice(0, 80)}"; it must be host:port, or several with commas`);
  }
  const ssl = BOOLEANS[(env.KAFKA_SSL ?? '').toLowerCase()];
  if (ssl === undefined) problems.push(`KAFKA_SSL is "${env.KAFKA_SSL ?? ''}"; it must be true or false`);
  return { brokers, ssl: ssl ?? false, sasl: readSasl(env, problems) };
}

function readSasl(env: NodeJS.ProcessEnv, problems: string[]): KafkaPlace['sasl'] {
  if (!env.KAFKA_SASL_MECHANISM) {
    if (env.KAFKA_SASL_USERNAME || env.KAFKA_SASL_PASSWORD) {
      problems.push('KAFKA_SASL_MECHANISM is not set; it must be set with KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD');
    }
    return undefined;
  }
  const mechanism = MECHANISMS.find((known) => known === env.KAFKA_SASL_MECHANISM?.toLowerCase());
  if (mechanism === undefined) {
    problems.push(`KAFKA_SASL_MECHANISM is "${env.KAFKA_SASL_MECHANISM}"; it must be one of ${MECHANISMS.join(', ')}`);
  }
  for (const name of ['KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD'] as const) {
    if (!env[name]) problems.push(`${name} is not set; it must be set with KAFKA_SASL_MECHANISM`);
  }
  return (
    mechanism && {
      mechanism,
      username: env.KAFKA_SASL_USERNAME ?? '',
      password: env.KAFKA_SASL_PASSWORD ?? '',
    }
  );
}

function isPostgresUrl(input: string): boolean {
  return URL.canParse(input) && /^postgres(ql)?:$/.test(new URL(input).protocol);
}
