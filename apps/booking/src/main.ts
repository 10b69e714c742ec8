import 'reflect-metadata';
import { ConfigurationError, createLogger, PortUnavailableError, runUntilSignal } from '@eticket/service';
import { readBookingConfig } from './booking-config.js';
import { startBooking } from './start-booking.js';

try {
  const config = readBookingConfig();
  const logger = createLogger({ service: 'booking', level: config.logLevel });
  await runUntilSignal(await startBooking(config, { logger }), { logger, deadlineMs: 15_000 });
} catch (error) {
  // For whoever starts it: what to do, without a stack.
  const expected = error instanceof ConfigurationError || error instanceof PortUnavailableError;
  process.stderr.write(`${expected ? error.message : String(error instanceof Error ? error.stack : error)}\n`);
  process.exitCode = 1;
}
