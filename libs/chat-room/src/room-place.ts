import { join } from 'node:path';
import {
  allProblems,
  makeValidator,
  postgresUrl,
  readEnvironment,
  readKafkaConnection,
  SettingError,
  str,
} from '@eticket/service/environment';
import type { KafkaConnection } from '@eticket/service/environment';

/** Where the room's topic is. */
export interface RoomPlace {
  readonly topic: string;
  /** First choice. */
  readonly kafka: KafkaConnection | undefined;
  /** Second choice. */
  readonly databaseUrl: string | undefined;
  /** Else the database of whoever started one in this folder. */
  readonly dataDir: string;
  /** In it: how a local process connects to that database. */
  readonly connectionFile: string;
}

const topic = makeValidator<string>((input) => {
  if (!/^[a-z0-9-]{1,80}$/.test(input)) throw new SettingError('1 to 80 of a-z, 0-9 and -');
  return input;
});

const SETTINGS = {
  KAFKA_TOPIC: topic({ default: 'chat-room' }),
  DATABASE_URL: postgresUrl({ default: undefined }),
  DATA_DIR: str({ default: 'data' }),
};

/**
 * Reads where the room is: `KAFKA_TOPIC`; `KAFKA_BROKERS` and how to speak to them; `DATABASE_URL`; `DATA_DIR`. An empty
 * variable counts as unset.
 * @throws ConfigurationError that names every bad variable, and repeats no secret.
 */
export function readRoomPlace(env: NodeJS.ProcessEnv = process.env): RoomPlace {
  const [read, kafka] = allProblems(
    () => readEnvironment(SETTINGS, env),
    () => readKafkaConnection(env),
  );
  return {
    topic: read.KAFKA_TOPIC,
    kafka,
    databaseUrl: read.DATABASE_URL,
    dataDir: read.DATA_DIR,
    connectionFile: join(read.DATA_DIR, 'connection.json'),
  };
}
