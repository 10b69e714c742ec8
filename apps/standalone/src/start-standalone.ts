import { setTimeout as delay } from 'node:timers/promises';
import { join } from 'node:path';
import { readBookingConfig, startBooking } from '@eticket/booking';
import { readInboxConfig, startInbox } from '@eticket/inbox';
import { readMailEticketConfig, startMailEticket } from '@eticket/mail-eticket';
import { readPaymentSandboxConfig, startPaymentSandbox } from '@eticket/payment-sandbox';
import {
  createLogger,
  createPool,
  fileAndTerminal,
  prepareDataFolder,
  startEmbeddedPostgres,
  type Logger,
  type RunningService,
} from '@eticket/service';
import { DatabaseAwayError } from './database-away-error.js';
import { failureMessage } from './failure-message.js';
import { PartSettings } from './part-settings.js';
import { checkPorts, choosePorts, type Ports } from './ports.js';
import type { StandaloneConfig } from './standalone-config.js';
import { startWorkerProcesses } from './worker-processes.js';

/** Everything, running. */
export interface RunningStandalone extends RunningService {
  /** Of the booking service. */
  readonly url: string;
  /** Undefined where mail goes to a relay. */
  readonly inbox: { readonly url: string; readonly smtpPort: number } | undefined;
  /** Of the payment sandbox; undefined where payments go to another gateway. */
  readonly paymentUrl: string | undefined;
  readonly workers: { readonly url: string; readonly pids: readonly number[] };
  /** Holds a password. */
  readonly databaseUrl: string;
  readonly adoptedDatabase: boolean;
  readonly logger: Logger;
}

const READY_DEADLINE_MS = 15_000;

/**
 * Starts PostgreSQL, inbox, mail worker, payment sandbox and booking service, in this order, and stops them in the opposite one. When a
 * part cannot start, those started before are stopped.
 * @throws ConfigurationError, EmbeddedPostgresError, PortsTakenError, PortUnavailableError, DatabaseAwayError,
 *   WorkerStartError: each with a sentence for whoever starts it.
 */
export async function startStandalone(config: StandaloneConfig): Promise<RunningStandalone> {
  const ports = await choosePorts(config);
  await prepareDataFolder(config.dataDir);
  const log = fileAndTerminal({
    file: join(config.dataDir, 'logs', 'eticket.log'),
    terminalLevel: config.terminalLogLevel,
  });
  const loggerOf = (service: string) => createLogger({ service, level: config.logLevel, destination: log });
  const logger = loggerOf('standalone');
  const running: Pick<RunningService, 'name' | 'stop'>[] = [];
  let stopping: Promise<void> | undefined;
  const stop = () => (stopping ??= stopAll(running, logger));

  try {
    const database = await startDatabase(config, loggerOf('postgres'));
    running.unshift(database);
    // Only now: of two starts in one place, the folder in use says more than the ports that are taken with it.
    await checkPorts(config, ports);
    const settings = new PartSettings(config, ports, database.connectionString);

    const inbox =
      config.smtpUrl === undefined
        ? await startInbox(readInboxConfig(settings.inbox()), { logger: loggerOf('inbox') })
        : undefined;
    if (inbox) running.unshift(inbox);

    const workers = await startWorkers(config, settings, ports, { log, loggerOf });
    running.unshift(workers);

    const payment =
      config.paymentGatewayUrl === undefined
        ? await startPaymentSandbox(readPaymentSandboxConfig(settings.payment()), {
            logger: loggerOf('payment-sandbox'),
          })
        : undefined;
    if (payment) running.unshift(payment);

    const booking = await startBooking(readBookingConfig(settings.booking()), { logger: loggerOf('booking') });
    running.unshift(booking);

    await untilReady([booking.url, ...workers.urls, ...(payment ? [payment.url] : [])], logger);
    logger.info({ booking: booking.url, adoptedDatabase: database.adopted }, 'everything is up');
    return {
      name: 'standalone',
      url: booking.url,
      inbox: inbox && { url: inbox.url, smtpPort: inbox.smtpPort },
      paymentUrl: payment?.url,
      workers,
      databaseUrl: database.connectionString,
      adoptedDatabase: database.adopted,
      logger,
      stop,
    };
  } catch (error) {
    const reason = failureMessage(error);
    // A foreseen reason is told by whoever called; here it is only kept.
    if (reason) logger.info({ reason }, 'the start failed');
    else logger.error({ err: error }, 'the start failed');
    await stop();
    throw error;
  }
}

interface StartedWorkers extends RunningService {
  readonly urls: readonly string[];
  readonly pids: readonly number[];
}

async function startWorkers(
  config: StandaloneConfig,
  settings: PartSettings,
  ports: Ports,
  logs: { readonly log: { write(line: string): void }; readonly loggerOf: (service: string) => Logger },
): Promise<StartedWorkers> {
  if (config.workers !== undefined) {
    return startWorkerProcesses({
      ports: ports.workers,
      env: settings.worker(),
      logger: logs.loggerOf('standalone'),
      log: logs.log,
    });
  }
  const worker = await startMailEticket(readMailEticketConfig(settings.worker(ports.workers[0])), {
    logger: logs.loggerOf('mail-eticket'),
  });
  return { name: worker.name, url: worker.url, urls: [worker.url], pids: [], stop: () => worker.stop() };
}

/** In the order given; one that fails to stop does not keep the others running. */
async function stopAll(running: readonly Pick<RunningService, 'name' | 'stop'>[], logger: Logger): Promise<void> {
  const failures: unknown[] = [];
  for (const part of running) {
    try {
      await part.stop();
    } catch (err) {
      logger.error({ err }, `${part.name} did not stop cleanly`);
      failures.push(err);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'not everything stopped cleanly');
}

interface StartedDatabase {
  readonly name: string;
  readonly connectionString: string;
  readonly adopted: boolean;
  stop(): Promise<void>;
}

async function startDatabase(config: StandaloneConfig, logger: Logger): Promise<StartedDatabase> {
  if (config.databaseUrl === undefined)
    return { name: 'postgres', ...(await startEmbeddedPostgres({ dataDir: config.dataDir, logger })) };
  const pool = createPool({ connectionString: config.databaseUrl, applicationName: 'standalone', max: 1, logger });
  try {
    await pool.query('SELECT 1');
  } catch (cause) {
    throw new DatabaseAwayError(config.databaseUrl, cause);
  } finally {
    await pool.end();
  }
  return { name: 'postgres', connectionString: config.databaseUrl, adopted: false, stop: () => Promise.resolve() };
}

/** What comes first after a start should not wait for it. A part that is not ready by then gets ready later, or says why. */
async function untilReady(urls: readonly string[], logger: Logger): Promise<void> {
  const deadline = AbortSignal.timeout(READY_DEADLINE_MS);
  for (const url of urls) {
    const ready = () =>
      fetch(`${url}/health/ready`, { signal: deadline }).then(
        ({ ok }) => ok,
        () => false,
      );
    while (!(await ready())) {
      if (deadline.aborted) return logger.warn({ url }, `not ready yet: see ${url}/health/ready`);
      await delay(50);
    }
  }
}
