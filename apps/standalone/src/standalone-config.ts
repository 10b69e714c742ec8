import { resolve } from 'node:path';
import {
  ConfigurationError,
  httpUrl,
  logLevel,
  port,
  postgresUrl,
  readEnvironment,
  smtpUrl,
  str,
  type LogLevel,
} from '@eticket/service';
import type { CommandLine } from './command-line.js';
import { problemsOf, problemsOfParts } from './part-settings.js';

/** What one start of everything works with. Ports may be 0: any free one. */
export interface StandaloneConfig {
  readonly dataDir: string;
  readonly bookingPort: number;
  readonly workerPort: number;
  readonly inboxPort: number;
  readonly smtpPort: number;
  /** Of the payment sandbox. */
  readonly paymentPort: number;
  /** Undefined: the embedded PostgreSQL. */
  readonly databaseUrl: string | undefined;
  /** Undefined: the inbox. */
  readonly smtpUrl: string | undefined;
  /** Undefined: the payment sandbox. */
  readonly paymentGatewayUrl: string | undefined;
  /** Undefined: one worker in this process. */
  readonly workers: number | undefined;
  readonly logLevel: LogLevel;
  readonly terminalLogLevel: LogLevel;
  /** What the services' own settings are read from, each with its addresses put in. */
  readonly env: NodeJS.ProcessEnv;
}

const SETTINGS = {
  PORT: port({ default: 3000 }),
  WORKER_PORT: port({ default: 3001 }),
  INBOX_PORT: port({ default: 8025 }),
  SMTP_PORT: port({ default: 1025 }),
  PAYMENT_PORT: port({ default: 3003 }),
  PAYMENT_GATEWAY_URL: httpUrl({ default: undefined }),
  DATA_DIR: str({ default: 'data' }),
  DATABASE_URL: postgresUrl({ default: undefined }),
  SMTP_URL: smtpUrl({ default: undefined }),
  LOG_LEVEL: logLevel({ default: undefined }),
};

/** Settings from the environment, those on the command line first. @throws ConfigurationError with all that are wrong. */
export function readStandaloneConfig(
  commandLine: CommandLine,
  environment: NodeJS.ProcessEnv = process.env,
): StandaloneConfig {
  const env = {
    ...environment,
    ...(commandLine.port === undefined ? {} : { PORT: commandLine.port }),
    ...(commandLine.dataDir === undefined ? {} : { DATA_DIR: commandLine.dataDir }),
  };
  const problems = problemsOf(() => readOwn(commandLine, env));
  const wrong = problems.map((problem) => problem.split(' ')[0]);
  // Without those that are wrong, to see what is wrong with the parts' own too.
  const config = readOwn(
    commandLine,
    Object.fromEntries(Object.entries(env).filter(([name]) => !wrong.includes(name))),
  );
  const all = [...problems, ...problemsOfParts(config)];
  if (all.length > 0) throw new ConfigurationError(all);
  return config;
}

function readOwn(commandLine: CommandLine, env: NodeJS.ProcessEnv): StandaloneConfig {
  const read = readEnvironment(SETTINGS, env);
  return {
    dataDir: resolve(read.DATA_DIR),
    bookingPort: read.PORT,
    workerPort: read.WORKER_PORT,
    inboxPort: read.INBOX_PORT,
    smtpPort: read.SMTP_PORT,
    paymentPort: read.PAYMENT_PORT,
    databaseUrl: read.DATABASE_URL,
    smtpUrl: read.SMTP_URL,
    paymentGatewayUrl: read.PAYMENT_GATEWAY_URL,
    workers: commandLine.workers,
    logLevel: read.LOG_LEVEL ?? 'info',
    terminalLogLevel: read.LOG_LEVEL ?? 'warn',
    env,
  };
}
