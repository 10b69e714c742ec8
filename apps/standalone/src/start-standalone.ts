import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { readBookingConfig, startBooking } from '@eticket/booking';
import { readInboxConfig, startInbox } from '@eticket/inbox';
import { readMailEticketConfig, startMailEticket } from '@eticket/mail-eticket';
import {
  ConfigurationError,
  createLogger,
  createPool,
  fileAndTerminal,
  startEmbeddedPostgres,
  type Logger,
  type RunningService,
} from '@eticket/service';
import { DatabaseAwayError } from './database-away-error.js';
import type { StandaloneConfig } from './standalone-config.js';
import { startWorkerProcesses } from './worker-processes.js';

/** Everything, running. */
export interface RunningStandalone extends RunningService {
  /** Of the booking service. */
  readonly url: string;
  /** Undefined where mail goes to a relay. */
  readonly inbox: { readonly url: string; readonly smtpPort: number } | undefined;
  readonly workers: { readonly url: string; readonly pids: readonly number[] };
  /** Holds a password. */
  readonly databaseUrl: string;
  readonly adoptedDatabase: boolean;
  readonly logger: Logger;
}

/** Ports that are known before anything listens, as the parts name each other's addresses. */
interface Ports {
  readonly booking: number;
  readonly inbox: number;
  readonly smtp: number;
  readonly workers: readonly number[];
}

/** Stands for the embedded PostgreSQL's address while settings are checked before it is started. */
const UNKNOWN_DATABASE = 'postgres://127.0.0.1/unknown';

/**
 * Starts PostgreSQL, inbox, mail worker and booking service, in this order, and stops them in the opposite one. When a
 * part cannot start, those started before are stopped.
 * @throws ConfigurationError, EmbeddedPostgresError, PortUnavailableError, DatabaseAwayError, WorkerStartError:
 *   each with a sentence for whoever starts it.
 */
export async function startStandalone(config: StandaloneConfig): Promise<RunningStandalone> {
  const ports = await choosePorts(config);
  checkSettings(config, ports);
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
    running.unshift({ name: 'postgres', stop: database.stop });
    const settings = new PartSettings(config, ports, database.connectionString);

    const inbox =
      config.smtpUrl === undefined
        ? await startInbox(readInboxConfig(settings.inbox()), { logger: loggerOf('inbox') })
        : undefined;
    if (inbox) running.unshift(inbox);

    const workers = await startWorkers(config, settings, ports, { log, loggerOf });
    running.unshift(workers);

    const booking = await startBooking(readBookingConfig(settings.booking()), { logger: loggerOf('booking') });
    running.unshift(booking);

    logger.info({ booking: booking.url, adoptedDatabase: database.adopted }, 'everything is up');
    return {
      name: 'standalone',
      url: booking.url,
      inbox: inbox && { url: inbox.url, smtpPort: inbox.smtpPort },
      workers,
      databaseUrl: database.connectionString,
      adoptedDatabase: database.adopted,
      logger,
      stop,
    };
  } catch (error) {
    logger.error({ err: error }, 'the start failed');
    await stop();
    throw error;
  }
}

interface StartedWorkers extends RunningService {
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
  return { name: worker.name, url: worker.url, pids: [], stop: () => worker.stop() };
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
  readonly connectionString: string;
  readonly adopted: boolean;
  stop(): Promise<void>;
}

async function startDatabase(config: StandaloneConfig, logger: Logger): Promise<StartedDatabase> {
  if (config.databaseUrl === undefined) return startEmbeddedPostgres({ dataDir: config.dataDir, logger });
  const pool = createPool({ connectionString: config.databaseUrl, applicationName: 'standalone', max: 1, logger });
  try {
    await pool.query('SELECT 1');
  } catch (cause) {
    throw new DatabaseAwayError(config.databaseUrl, cause);
  } finally {
    await pool.end();
  }
  return { connectionString: config.databaseUrl, adopted: false, stop: () => Promise.resolve() };
}

/** The environment of each part: the start's own, with what differs between them. */
class PartSettings {
  constructor(
    private readonly config: StandaloneConfig,
    private readonly ports: Ports,
    private readonly databaseUrl: string,
  ) {}

  booking(): NodeJS.ProcessEnv {
    return {
      ...this.shared(),
      PORT: String(this.ports.booking),
      PUBLIC_URL: this.config.env.PUBLIC_URL || `http://127.0.0.1:${this.ports.booking}`,
    };
  }

  worker(port?: number): NodeJS.ProcessEnv {
    return {
      ...this.shared(),
      ...(port === undefined ? {} : { PORT: String(port) }),
      SMTP_URL: this.config.smtpUrl ?? `smtp://127.0.0.1:${this.ports.smtp}`,
    };
  }

  inbox(): NodeJS.ProcessEnv {
    return {
      ...this.shared(),
      PORT: String(this.ports.inbox),
      SMTP_PORT: String(this.ports.smtp),
      INBOX_DIR: this.config.env.INBOX_DIR || join(this.config.dataDir, 'mails'),
    };
  }

  private shared(): NodeJS.ProcessEnv {
    return {
      ...this.config.env,
      DATABASE_URL: this.databaseUrl,
      DATA_DIR: this.config.dataDir,
      LOG_LEVEL: this.config.logLevel,
    };
  }
}

/** Reads every part's settings before anything is started, so that all that is wrong is named at once. */
function checkSettings(config: StandaloneConfig, ports: Ports): void {
  const settings = new PartSettings(config, ports, config.databaseUrl ?? UNKNOWN_DATABASE);
  const problems = new Set<string>();
  const reads = [
    () => readBookingConfig(settings.booking()),
    () => readMailEticketConfig(settings.worker()),
    () => readInboxConfig(settings.inbox()),
  ];
  for (const read of reads) {
    try {
      read();
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      for (const problem of error.problems) problems.add(problem);
    }
  }
  if (problems.size > 0) throw new ConfigurationError([...problems]);
}

async function choosePorts(config: StandaloneConfig): Promise<Ports> {
  const workers = config.workers ?? 1;
  const [booking, inbox, smtp, firstWorker, ...more] = await freePorts([
    config.bookingPort,
    config.inboxPort,
    config.smtpPort,
    config.workerPort,
    ...Array<number>(Math.max(0, workers - 1)).fill(0),
  ]);
  return {
    booking: booking ?? 0,
    inbox: inbox ?? 0,
    smtp: smtp ?? 0,
    workers: [firstWorker ?? 0, ...more].slice(0, workers),
  };
}

/** The ports wanted, and for each 0 one that is free now. All are held until the last is found, so that they differ. */
async function freePorts(wanted: readonly number[]): Promise<readonly number[]> {
  const holders = await Promise.all(wanted.map(async (port) => (port === 0 ? await holdFreePort() : undefined)));
  const ports = wanted.map((port, index) => holders[index]?.port ?? port);
  await Promise.all(holders.map((holder) => holder?.release()));
  return ports;
}

function holdFreePort(): Promise<{ readonly port: number; release(): Promise<void> }> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      resolve({ port, release: () => new Promise((released) => server.close(() => released())) });
    });
  });
}
