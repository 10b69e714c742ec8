import 'reflect-metadata';
import { ConfigurationError, createLogger, PortUnavailableError, runUntilSignal } from '@eticket/service';
import { readPaymentSandboxConfig } from './payment-sandbox-config.js';
import { startPaymentSandbox } from './start-payment-sandbox.js';

const STOP_DEADLINE_MS = 8_000;

try {
  const config = readPaymentSandboxConfig();
  const logger = createLogger({ service: 'payment-sandbox', level: config.logLevel });
  const sandbox = await startPaymentSandbox(config, { logger });
  await runUntilSignal(sandbox, { logger, deadlineMs: STOP_DEADLINE_MS });
} catch (error) {
  if (!(error instanceof ConfigurationError) && !(error instanceof PortUnavailableError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
