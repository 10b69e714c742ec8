import fastifyCookie from '@fastify/cookie';
import { CONSUMER_GROUPS, QUEUES } from '@eticket/contracts';
import {
  createDatabase,
  createHttpApp,
  createPool,
  openQueueDriver,
  ServiceMetrics,
  startHttpApp,
  startTracing,
  within,
  type Logger,
  type RunningService,
} from '@eticket/service';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Ackline, type QueueDriver } from 'ackline';
import { QueueServer } from 'ackline/nest';
import { Outbox, OutboxRelay } from 'ackline/outbox';
import type pg from 'pg';
import type { BookingConfig } from './booking-config.js';
import { BookingModule, type BookingParts } from './booking.module.js';
import type { CommittedEvents } from './bookings/booking-events.js';
import { PublicAddress } from './bookings/public-address.js';
import { BOOKING_SCHEMA, BookingStore, type BookingDatabase } from './database/booking-database.js';
import { SchemaKeeper } from './database/schema-keeper.js';
import { addOpenApi } from './docs/open-api.js';
import { CardFormAddress } from './payments/card-form.js';
import { ProblemFilter } from './problems/problem.filter.js';
import { addSecurityHeaders } from './security/security-headers.js';

export interface StartBookingOptions {
  readonly logger: Logger;
  /** In place of the system's clock, the sandbox and the queue that the settings name; for specs. */
  readonly replace?: Pick<BookingParts, 'clock' | 'gateway'> & { readonly driver?: QueueDriver };
}

const BODY_LIMIT = 64 * 1024;
/** Of each part of a stop; nothing in them takes longer than a request. */
const CLOSE_DEADLINE_MS = 3_000;

/**
 * Starts the booking service. It starts without its database too: readiness says so, and what needs it is answered 503
 * until it is there. @throws PortUnavailableError.
 */
export async function startBooking(
  config: BookingConfig,
  { logger, replace }: StartBookingOptions,
): Promise<RunningService> {
  const pool = createPool({
    connectionString: config.databaseUrl,
    max: config.databaseConnections,
    applicationName: 'booking',
    logger,
  });
  const driver =
    replace?.driver ??
    openQueueDriver({ databaseUrl: config.databaseUrl, kafka: config.kafka, clientId: 'booking', logger });
  const tracing = await startTracing(config.tracing, { service: 'booking', logger });
  const traced = tracing.queue && { tracing: tracing.queue };
  const metrics = new ServiceMetrics({ service: 'booking' });
  const ackline = new Ackline({ driver, observer: metrics.observeQueue(), ...traced });
  const outbox = new Outbox({ driver, pool, ...traced });
  const relay = openRelay(driver, pool, ackline, logger);
  const server = new QueueServer({
    ackline,
    group: CONSUMER_GROUPS.bookingMailStatus,
    closeDeadlineMs: CLOSE_DEADLINE_MS,
  });
  const schema = new SchemaKeeper(pool, () => (relay ? outbox.migrate() : ackline.start()), logger);
  const tables = createDatabase<BookingDatabase>(pool).withSchema(BOOKING_SCHEMA);
  const store = new BookingStore(tables, pool, () => schema.assertReady());
  const address = new PublicAddress(config.publicUrl);
  const release = async (): Promise<void> => {
    await relay?.stop(CLOSE_DEADLINE_MS);
    await ackline.close(CLOSE_DEADLINE_MS);
    await Promise.all([
      tracing.stop(CLOSE_DEADLINE_MS),
      within(pool.end(), CLOSE_DEADLINE_MS, 'closing the database pool').catch((err: unknown) => {
        logger.warn({ err }, 'the database pool did not close');
      }),
    ]);
  };
  observeBacklog(metrics, ackline, relay);

  const queueTrouble = (): string | undefined => troubleOf(server);
  const module = BookingModule.forRoot({
    config,
    logger,
    metrics,
    tracing,
    store,
    schema,
    outbox,
    committed: countCommitted(driver, metrics),
    address,
    queueTrouble,
    ...replace,
  });
  const { host, port, trustedProxies } = config;
  const http = { logger, name: 'booking', host, port, bodyLimit: BODY_LIMIT, trustedProxies, tracing };
  try {
    const app = await createHttpApp(module, http);
    await configure(app, address, config);
    app.connectMicroservice({ strategy: server });
    const service = await startHttpApp(app, http);
    address.listeningOn(service.url);
    relay?.start();
    return { name: service.name, url: service.url, stop: once(() => service.stop().finally(release)) };
  } catch (error) {
    await release();
    throw error;
  }
}

async function configure(app: NestFastifyApplication, address: PublicAddress, config: BookingConfig): Promise<void> {
  addSecurityHeaders(app.getHttpAdapter().getInstance(), {
    isSecure: () => address.isSecure,
    cardFormOrigin: new CardFormAddress(config.paymentFormUrl).origin,
  });
  await app.register(fastifyCookie);
  app.useGlobalFilters(app.get(ProblemFilter));
  addOpenApi(app);
}

/** Where the queue is in this database, nobody but the commit publishes; a relay's publishing is counted by the queue. */
function countCommitted(driver: QueueDriver, metrics: ServiceMetrics): CommittedEvents {
  const counts = driver.features.transactionalPublish;
  return { published: (queue) => counts && metrics.observeQueue()({ type: 'published', queue, count: 1 }) };
}

/** Where the queue is not in this database, the outbox needs a relay. */
function openRelay(driver: QueueDriver, pool: pg.Pool, ackline: Ackline, logger: Logger): OutboxRelay | undefined {
  if (driver.features.transactionalPublish) return undefined;
  const onError = (err: unknown, retryInMs: number): void => logger.warn({ err, retryInMs }, 'the outbox waits');
  return new OutboxRelay({ pool, ackline, onError });
}

function observeBacklog(metrics: ServiceMetrics, ackline: Ackline, relay: OutboxRelay | undefined): void {
  metrics.gauge(
    'outbox_oldest_age_seconds',
    'Age of the oldest event not published yet; 0 without an outbox.',
    [],
    async (gauge) => gauge.set(relay ? (await relay.stats()).oldestAgeMs / 1000 : 0),
  );
  metrics.gauge('outbox_waiting', 'Events committed and not published yet; 0 without an outbox.', [], async (gauge) =>
    gauge.set(relay ? (await relay.stats()).waiting : 0),
  );
  const help = 'Age of the oldest e-ticket that no worker has settled.';
  metrics.gauge('eticket_confirmed_oldest_age_seconds', help, [], async (gauge) => {
    const { oldestAgeMs } = await ackline.stats(QUEUES.eticketConfirmed, CONSUMER_GROUPS.mailEticket);
    gauge.set((oldestAgeMs ?? 0) / 1000);
  });
}

function troubleOf(server: QueueServer): string | undefined {
  const stopped = Object.entries(server.consumerStatus()).find(([, status]) => status.state !== 'consuming');
  return stopped && `${stopped[0]}: ${stopped[1].state}${'why' in stopped[1] ? `, ${stopped[1].why}` : ''}`;
}

function once(work: () => Promise<void>): () => Promise<void> {
  let result: Promise<void> | undefined;
  return () => (result ??= work());
}
