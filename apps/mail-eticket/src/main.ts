import 'reflect-metadata';
import { ConfigurationError, createLogger, PortUnavailableError, runUntilSignal } from '@eticket/service';
import { readMailEticketConfig } from './mail-eticket-config.js';
import { startMailEticket } from './start-mail-eticket.js';

/** Beyond what the worker's own stop takes. */
const STOP_MARGIN_MS = 2_000;

try {
  const config = readMailEticketConfig();
  const logger = createLogger({ service: 'mail-eticket', level: config.logLevel });
  const worker = await startMailEticket(config, { logger });
  await runUntilSignal(worker, { logger, deadlineMs: config.stopDeadlineMs + STOP_MARGIN_MS });
} catch (error) {
  if (!(error instanceof ConfigurationError) && !(error instanceof PortUnavailableError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
