import 'reflect-metadata';
import {
  ConfigurationError,
  createLogger,
  EmbeddedPostgresError,
  PortUnavailableError,
  runUntilSignal,
} from '@eticket/service';
import { readChatServerConfig } from './chat-server-config.js';
import { startChatServer } from './start-chat-server.js';

/** HTTP, queue, and a database of its own, which takes longest. */
const STOP_DEADLINE_MS = 30_000;
const FORESEEN = [ConfigurationError, EmbeddedPostgresError, PortUnavailableError];

try {
  const config = readChatServerConfig();
  const logger = createLogger({ service: 'chat-server', level: config.logLevel });
  const server = await startChatServer(config, { logger });
  await runUntilSignal(server, { logger, deadlineMs: STOP_DEADLINE_MS });
} catch (error) {
  if (!FORESEEN.some((kind) => error instanceof kind)) throw error;
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
