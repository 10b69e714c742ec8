import {
  allProblems,
  bool,
  ConfigurationError,
  host,
  integer,
  logLevel,
  makeValidator,
  milliseconds,
  port,
  postgresUrl,
  readEnvironment,
  readKafkaConnection,
  readTracingSettings,
  SettingError,
  smtpUrl,
  str,
} from '@eticket/service';
import type { KafkaConnection, LogLevel, TracingSettings } from '@eticket/service';
import type { RedeliverySettings } from './etickets/redelivery-delay.js';
import { readDkim } from './sending/dkim-settings.js';
import type { DkimSettings } from './sending/dkim-settings.js';
import { asciiAddress } from './sending/recipient.js';
import type { Sender } from './sending/compose-mail.js';

/** Everything that can be set, read once at the start. */
export interface MailEticketConfig {
  readonly host: string;
  /** Of health and metrics; 0 takes a free one. */
  readonly port: number;
  readonly databaseUrl: string;
  /** Undefined: the queue lives in the database. */
  readonly kafka: KafkaConnection | undefined;
  readonly smtpUrl: string;
  readonly sender: Sender;
  /** Whether the receipt comes as a PDF too. */
  readonly attachPdf: boolean;
  /** Whom relays tell of mails that could not be delivered. */
  readonly envelopeSender: string;
  /** Of this process; undefined: as many as the relay takes. */
  readonly mailsPerSecond: number | undefined;
  readonly dkim: DkimSettings | undefined;
  /** Mails under way at once. */
  readonly concurrency: number;
  /** Most connections to the relay. */
  readonly connections: number;
  /** Of one sending as a whole. */
  readonly sendDeadlineMs: number;
  /** Deliveries of an event before it becomes a dead letter. */
  readonly maxDeliveries: number;
  readonly redelivery: RedeliverySettings;
  /** While the line is stopped, one mail is tried after so long, doubling up to `maxMs`. */
  readonly probe: RedeliverySettings;
  /** For everything between a signal and the end of the process. */
  readonly stopDeadlineMs: number;
  /** Undefined: no traces. */
  readonly tracing: TracingSettings | undefined;
  readonly logLevel: LogLevel;
}

const HOUR_MS = 3_600_000;
const MONTH_MS = 30 * 24 * HOUR_MS;

/** `Name <address>`, or an address alone. */
const sender = makeValidator<Sender>((input) => {
  const named = /^\s*"?([^"<>]*?)"?\s*<([^<>]+)>\s*$/.exec(input);
  const [name, address] = named ? [named[1] ?? '', named[2] ?? ''] : ['', input.trim()];
  try {
    return { name, address: asciiAddress(address) };
  } catch {
    throw new SettingError('one address with or without a name');
  }
});

const address = makeValidator<string>((input) => {
  if (input.trim() === '') return '';
  try {
    return asciiAddress(input.trim());
  } catch {
    throw new SettingError('one address');
  }
});

const SETTINGS = {
  HOST: host({ default: '127.0.0.1', desc: 'an address of this machine', example: '127.0.0.1' }),
  PORT: port({ default: 3001 }),
  DATABASE_URL: postgresUrl({
    desc: 'the address of a PostgreSQL',
    example: 'postgres://user:password@127.0.0.1:5432/eticket',
  }),
  SMTP_URL: smtpUrl({ default: 'smtp://127.0.0.1:1025' }),
  MAIL_FROM: sender({
    default: { name: 'Meridian Travel', address: 'tickets@meridian.example' },
    example: 'Meridian Travel <tickets@meridian.example>',
  }),
  MAIL_PDF: bool({ default: true }),
  MAIL_ENVELOPE_FROM: address({
    default: '',
    desc: 'an address that takes non-delivery reports',
    example: 'bounces@meridian.example',
  }),
  MAIL_RATE_LIMIT: integer({ min: 0, max: 10_000 })({ default: 0 }),
  MAIL_DKIM_DOMAIN: str({ default: '' }),
  MAIL_DKIM_SELECTOR: str({ default: '' }),
  MAIL_DKIM_KEY_FILE: str({ default: '' }),
  // The default is worked out, see below.
  MAIL_CONCURRENCY: integer({ min: 1, max: 500 })({ default: undefined }),
  MAIL_CONNECTIONS: integer({ min: 1, max: 500 })({ default: 10 }),
  // Below the 30 s after which a worker that is not heard of loses its leases.
  MAIL_SEND_DEADLINE_MS: integer({ min: 1_000, max: 240_000 })({ default: 25_000 }),
  MAIL_MAX_DELIVERIES: integer({ min: 1, max: 1_000 })({ default: 20 }),
  MAIL_REDELIVERY_BASE_MS: milliseconds({ default: 2_000 }),
  MAIL_REDELIVERY_MAX_MS: integer({ min: 1, max: MONTH_MS })({ default: 4 * HOUR_MS }),
  MAIL_PROBE_MAX_MS: milliseconds({ default: 30_000 }),
  STOP_DEADLINE_MS: integer({ min: 500, max: 600_000 })({ default: 10_000 }),
  LOG_LEVEL: logLevel({ default: 'info' }),
};

/** Enough that while some mails wait for the relay or the database, others are made. */
const USUAL_CONCURRENCY = 30;

/** The first probe of a stopped line. */
const PROBE_BASE_MS = 1_000;

/** @throws ConfigurationError that names every bad variable */
export function readMailEticketConfig(env: NodeJS.ProcessEnv = process.env): MailEticketConfig {
  const [read, kafka, tracing] = allProblems(
    () => readEnvironment(SETTINGS, env),
    () => readKafkaConnection(env),
    () => readTracingSettings(env),
  );
  const wrong: string[] = [];
  if (read.MAIL_REDELIVERY_BASE_MS > read.MAIL_REDELIVERY_MAX_MS) {
    wrong.push(
      `MAIL_REDELIVERY_BASE_MS is ${read.MAIL_REDELIVERY_BASE_MS}; it must not be more than MAIL_REDELIVERY_MAX_MS, ${read.MAIL_REDELIVERY_MAX_MS}`,
    );
  }
  // Mails wait for their turn inside of their deadline.
  const rate = read.MAIL_RATE_LIMIT || Infinity;
  const mostInTime = Math.max(1, Math.floor((rate * read.MAIL_SEND_DEADLINE_MS) / 2_000));
  const concurrency = read.MAIL_CONCURRENCY ?? Math.min(USUAL_CONCURRENCY, mostInTime);
  if (concurrency > mostInTime) {
    wrong.push(
      `MAIL_CONCURRENCY is ${concurrency}; at a MAIL_RATE_LIMIT of ${rate} a second the last of so many waits longer than half of MAIL_SEND_DEADLINE_MS, ${read.MAIL_SEND_DEADLINE_MS}`,
    );
  }
  let dkim: DkimSettings | undefined;
  try {
    dkim = readDkim(read.MAIL_DKIM_DOMAIN, read.MAIL_DKIM_SELECTOR, read.MAIL_DKIM_KEY_FILE, read.MAIL_FROM.address);
  } catch (error) {
    wrong.push((error as RangeError).message);
  }
  if (wrong.length > 0) throw new ConfigurationError(wrong);
  return {
    host: read.HOST,
    port: read.PORT,
    databaseUrl: read.DATABASE_URL,
    kafka,
    smtpUrl: read.SMTP_URL,
    sender: read.MAIL_FROM,
    attachPdf: read.MAIL_PDF,
    envelopeSender: read.MAIL_ENVELOPE_FROM || read.MAIL_FROM.address,
    mailsPerSecond: read.MAIL_RATE_LIMIT || undefined,
    dkim,
    concurrency,
    connections: Math.min(read.MAIL_CONNECTIONS, concurrency),
    sendDeadlineMs: read.MAIL_SEND_DEADLINE_MS,
    maxDeliveries: read.MAIL_MAX_DELIVERIES,
    redelivery: { baseMs: read.MAIL_REDELIVERY_BASE_MS, maxMs: read.MAIL_REDELIVERY_MAX_MS },
    probe: { baseMs: Math.min(PROBE_BASE_MS, read.MAIL_PROBE_MAX_MS), maxMs: read.MAIL_PROBE_MAX_MS },
    stopDeadlineMs: read.STOP_DEADLINE_MS,
    tracing,
    logLevel: read.LOG_LEVEL,
  };
}
