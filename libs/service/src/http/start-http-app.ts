import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { within } from '../deadline.js';
import type { Logger } from '../logging/logger.js';
import type { RunningService } from '../running-service.js';
import { PortUnavailableError } from './port-unavailable-error.js';

export interface StartHttpAppOptions {
  readonly logger: Logger;
  readonly name: string;
  readonly host: string;
  readonly port: number;
  /** Names the variable that sets the port, for the message when it is taken; `PORT` when left out. */
  readonly portSetting?: string;
  /** Whole time that `stop` may take; 10 s when left out. */
  readonly stopDeadlineMs?: number;
}

const DEFAULT_STOP_DEADLINE_MS = 10_000;
/** Left to answered requests; then open connections (event streams, sleeping clients) are cut. */
const CONNECTION_SHARE = 0.5;

/**
 * Starts the app's microservices and listens.
 * @throws PortUnavailableError, one sentence that says what to do.
 */
export async function startHttpApp(app: NestFastifyApplication, options: StartHttpAppOptions): Promise<RunningService> {
  try {
    await app.startAllMicroservices();
    await app.listen(options.port, options.host);
  } catch (error) {
    await within(app.close(), DEFAULT_STOP_DEADLINE_MS, 'closing').catch(() => undefined);
    throw PortUnavailableError.from(error, options) ?? error;
  }
  const url = localUrl(await app.getUrl());
  options.logger.info({ url }, `${options.name} is up`);
  let stopping: Promise<void> | undefined;
  return { name: options.name, url, stop: () => (stopping ??= stopHttpApp(app, options)) };
}

async function stopHttpApp(app: NestFastifyApplication, options: StartHttpAppOptions): Promise<void> {
  const deadlineMs = options.stopDeadlineMs ?? DEFAULT_STOP_DEADLINE_MS;
  const cutConnections = setTimeout(() => app.getHttpServer().closeAllConnections(), deadlineMs * CONNECTION_SHARE);
  try {
    await within(app.close(), deadlineMs, `stopping ${options.name}`);
    options.logger.info(`${options.name} has stopped`);
  } catch (err) {
    options.logger.error({ err }, `${options.name} did not stop cleanly`);
    app.getHttpServer().closeAllConnections();
  } finally {
    clearTimeout(cutConnections);
  }
}

function localUrl(url: string): string {
  return url.replace('//[::1]:', '//127.0.0.1:').replace(/\/$/, '');
}
