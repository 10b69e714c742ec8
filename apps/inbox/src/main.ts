import 'reflect-metadata';
import { ConfigurationError, createLogger, PortUnavailableError, runUntilSignal } from '@eticket/service';
import { readInboxConfig } from './inbox-config.js';
import { startInbox } from './start-inbox.js';

const STOP_DEADLINE_MS = 8_000;

try {
  const config = readInboxConfig();
  const logger = createLogger({ service: 'inbox', level: config.logLevel });
  const inbox = await startInbox(config, { logger });
  await runUntilSignal(inbox, { logger, deadlineMs: STOP_DEADLINE_MS });
} catch (error) {
  if (!(error instanceof ConfigurationError) && !(error instanceof PortUnavailableError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
