import {
  ConfigurationError,
  host,
  integer,
  logLevel,
  type LogLevel,
  port,
  readEnvironment,
  str,
} from '@eticket/service';

/** Everything that can be set, read once at the start. */
export interface InboxConfig {
  readonly host: string;
  /** Of the page and the API; 0 takes a free one. */
  readonly port: number;
  /** 0 takes a free one. */
  readonly smtpPort: number;
  /** Folder of the mails; undefined keeps them in memory only, until the process ends. */
  readonly folder: string | undefined;
  readonly maxMessages: number;
  /** Bytes of all kept mails. */
  readonly maxBytes: number;
  /** Bytes of one mail. */
  readonly maxMessageBytes: number;
  /** `Access-Control-Allow-Origin` of the API; undefined: other web pages cannot read it. */
  readonly corsOrigin: string | undefined;
  readonly logLevel: LogLevel;
}

const MIB = 1024 * 1024;
/** Mails are held in memory. */
const MOST_BYTES = 2048 * MIB;

const SETTINGS = {
  HOST: host({ default: '127.0.0.1', desc: 'an address of this machine', example: '127.0.0.1' }),
  PORT: port({ default: 8025 }),
  SMTP_PORT: port({ default: 1025 }),
  INBOX_DIR: str({ default: '', desc: 'a folder' }),
  INBOX_MAX_MESSAGES: integer({ min: 1, max: 100_000 })({ default: 5_000 }),
  INBOX_MAX_BYTES: integer({ min: 1_024, max: MOST_BYTES })({ default: 256 * MIB }),
  INBOX_MAX_MESSAGE_BYTES: integer({ min: 1_024, max: 100 * MIB })({ default: 25 * MIB }),
  INBOX_CORS_ORIGIN: str({ default: '', desc: 'an origin or *', example: 'http://localhost:4200' }),
  LOG_LEVEL: logLevel({ default: 'info' }),
};

/** @throws ConfigurationError that names every bad variable */
export function readInboxConfig(env: NodeJS.ProcessEnv = process.env): InboxConfig {
  const read = readEnvironment(SETTINGS, env);
  if (read.INBOX_MAX_MESSAGE_BYTES > read.INBOX_MAX_BYTES) {
    throw new ConfigurationError([
      `INBOX_MAX_MESSAGE_BYTES is ${read.INBOX_MAX_MESSAGE_BYTES}; it must not be more than INBOX_MAX_BYTES, ${read.INBOX_MAX_BYTES}`,
    ]);
  }
  return {
    host: read.HOST,
    port: read.PORT,
    smtpPort: read.SMTP_PORT,
    folder: read.INBOX_DIR || undefined,
    maxMessages: read.INBOX_MAX_MESSAGES,
    maxBytes: read.INBOX_MAX_BYTES,
    maxMessageBytes: read.INBOX_MAX_MESSAGE_BYTES,
    corsOrigin: read.INBOX_CORS_ORIGIN || undefined,
    logLevel: read.LOG_LEVEL,
  };
}
