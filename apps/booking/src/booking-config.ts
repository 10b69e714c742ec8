import {
  allProblems,
  host,
  httpUrl,
  logLevel,
  makeValidator,
  networks,
  port,
  postgresUrl,
  integer,
  readEnvironment,
  readKafkaConnection,
  readTracingSettings,
  SettingError,
} from '@eticket/service';
import type { KafkaConnection, LogLevel, TracingSettings } from '@eticket/service';

/** Settings of the booking service. */
export interface BookingConfig {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly databaseUrl: string;
  /** Most connections to the database. */
  readonly databaseConnections: number;
  /** The queue is on Kafka then; undefined: in the database. */
  readonly kafka: KafkaConnection | undefined;
  /** Where browsers reach this service; undefined: where it listens. */
  readonly publicUrl: string | undefined;
  /** Seals offers and access tokens; undefined: one is made and kept in the database. */
  readonly secret: string | undefined;
  /** Page of the development inbox that the start page links to. */
  readonly inboxUrl: string | undefined;
  /** How long a call of the payment gateway may take. */
  readonly paymentDeadlineMs: number;
  /** Of the payment gateway; undefined: a sandbox in this process, which forgets at its end. */
  readonly paymentGatewayUrl: string | undefined;
  /** The gateway as browsers reach it, for its card form. */
  readonly paymentFormUrl: string | undefined;
  /** Reverse proxies whose `X-Forwarded-For` says who asks; limits count by it. */
  readonly trustedProxies: readonly string[];
  /** Of one address; 0: as many as come. */
  readonly searchesPerMinute: number;
  /** Of one address; 0: as many as come. */
  readonly bookingsPerMinute: number;
  /** How long a repeat with the same Idempotency-Key gets the first answer. */
  readonly idempotencyKeyHours: number;
  /** After the last flight of a booking; then who travelled is forgotten. */
  readonly personalDataDays: number;
  /** Undefined: no traces. */
  readonly tracing: TracingSettings | undefined;
  readonly logLevel: LogLevel;
}

/** Asked twice, the gateway has to answer well within the 45 s that an attempt may take (`idempotency.repository.ts`). */
const PAYMENT_DEADLINE = { min: 50, max: 10_000 };
const SHORTEST_SECRET = 32;

const secret = makeValidator<string>((input) => {
  if (input.length < SHORTEST_SECRET)
    throw new SettingError(`${SHORTEST_SECRET} characters or more, the same on every node`);
  return input;
});

const SETTINGS = {
  HOST: host({ default: '127.0.0.1', desc: 'the address to listen on' }),
  PORT: port({ default: 3000, desc: 'a TCP port' }),
  DATABASE_URL: postgresUrl({
    desc: 'a PostgreSQL address',
    example: 'postgres://user:password@host:5432/eticket',
  }),
  DATABASE_CONNECTIONS: integer({ min: 2, max: 500 })({ default: 10, desc: 'a number of connections' }),
  PUBLIC_URL: httpUrl({ default: undefined, desc: 'an address', example: 'https://book.example.com' }),
  BOOKING_SECRET: secret({ default: undefined, desc: 'a secret' }),
  INBOX_URL: httpUrl({ default: undefined, desc: 'an address', example: 'http://127.0.0.1:8025' }),
  PAYMENT_GATEWAY_URL: httpUrl({ default: undefined, desc: 'an address', example: 'http://127.0.0.1:3003' }),
  PAYMENT_FORM_URL: httpUrl({ default: undefined, desc: 'an address', example: 'http://127.0.0.1:3003' }),
  PAYMENT_DEADLINE_MS: integer(PAYMENT_DEADLINE)({ default: 4_000, desc: 'milliseconds' }),
  TRUSTED_PROXIES: networks({ default: undefined, desc: 'addresses of reverse proxies', example: '10.0.0.0/8' }),
  SEARCHES_PER_MINUTE: integer({ min: 0, max: 1_000_000 })({ default: 1_200, desc: 'searches, 0 for no limit' }),
  BOOKINGS_PER_MINUTE: integer({ min: 0, max: 1_000_000 })({ default: 600, desc: 'bookings, 0 for no limit' }),
  IDEMPOTENCY_KEY_HOURS: integer({ min: 1, max: 8_760 })({ default: 24, desc: 'hours' }),
  PERSONAL_DATA_DAYS: integer({ min: 1, max: 36_500 })({ default: 90, desc: 'days' }),
  LOG_LEVEL: logLevel({ default: 'info', desc: 'a log level' }),
};

/** @throws ConfigurationError that names every bad setting. */
export function readBookingConfig(env: NodeJS.ProcessEnv = process.env): BookingConfig {
  const [settings, kafka, tracing] = allProblems(
    () => readEnvironment(SETTINGS, env),
    () => readKafkaConnection(env),
    () => readTracingSettings(env),
  );
  return {
    host: settings.HOST,
    port: settings.PORT,
    databaseUrl: settings.DATABASE_URL,
    databaseConnections: settings.DATABASE_CONNECTIONS,
    kafka,
    publicUrl: settings.PUBLIC_URL,
    secret: settings.BOOKING_SECRET,
    // Without a public address this is somebody's own machine, where the inbox has its usual port.
    inboxUrl: settings.INBOX_URL ?? (settings.PUBLIC_URL === undefined ? 'http://127.0.0.1:8025' : undefined),
    paymentGatewayUrl: withoutEnd(settings.PAYMENT_GATEWAY_URL),
    paymentFormUrl: withoutEnd(settings.PAYMENT_FORM_URL ?? settings.PAYMENT_GATEWAY_URL),
    paymentDeadlineMs: settings.PAYMENT_DEADLINE_MS,
    trustedProxies: settings.TRUSTED_PROXIES ?? [],
    searchesPerMinute: settings.SEARCHES_PER_MINUTE,
    bookingsPerMinute: settings.BOOKINGS_PER_MINUTE,
    idempotencyKeyHours: settings.IDEMPOTENCY_KEY_HOURS,
    personalDataDays: settings.PERSONAL_DATA_DAYS,
    tracing,
    logLevel: settings.LOG_LEVEL,
  };
}

function withoutEnd(url: string | undefined): string | undefined {
  return url?.replace(/\/+$/, '');
}
