import { readRoomPlace } from '@eticket/chat-room';
import type { RoomPlace } from '@eticket/chat-room';
import { allProblems, host, integer, logLevel, port, readEnvironment } from '@eticket/service';
import type { LogLevel } from '@eticket/service';
import type { RoomRules } from './room/room.service.js';

/** Everything that can be set, read once at the start. */
export interface ChatServerConfig {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly place: RoomPlace;
  readonly rules: RoomRules;
  readonly logLevel: LogLevel;
}

/** An office behind one address may come all at once. */
const JOINS = { perSecond: 5, burst: 100 };

const SETTINGS = {
  HOST: host({ default: '127.0.0.1', desc: 'an address of this machine', example: '127.0.0.1' }),
  PORT: port({ default: 3002 }),
  CHAT_GONE_AFTER_MS: integer({ min: 1_000, max: 3_600_000 })({ default: 30_000 }),
  CHAT_MESSAGES_PER_SECOND: integer({ min: 1, max: 100_000 })({ default: 5 }),
  CHAT_MESSAGES_BURST: integer({ min: 1, max: 100_000 })({ default: 20 }),
  CHAT_MAX_USERS: integer({ min: 1, max: 100_000 })({ default: 1_000 }),
  LOG_LEVEL: logLevel({ default: 'info' }),
};

/** @throws ConfigurationError that names every bad variable */
export function readChatServerConfig(env: NodeJS.ProcessEnv = process.env): ChatServerConfig {
  const [read, place] = allProblems(
    () => readEnvironment(SETTINGS, env),
    () => readRoomPlace(env),
  );
  return {
    host: read.HOST,
    port: read.PORT,
    place,
    rules: {
      goneAfterMs: read.CHAT_GONE_AFTER_MS,
      messages: { perSecond: read.CHAT_MESSAGES_PER_SECOND, burst: read.CHAT_MESSAGES_BURST },
      joins: JOINS,
      maxUsers: read.CHAT_MAX_USERS,
    },
    logLevel: read.LOG_LEVEL,
  };
}
