import 'reflect-metadata';
import { ConfigurationError, createLogger } from '@eticket/service';
import { readBookingConfig } from './booking-config.js';
import { readRetentionCommand, runRetention } from './personal-data/retention-command.js';

try {
  const command = readRetentionCommand(process.argv.slice(2));
  const config = readBookingConfig();
  const logger = createLogger({ service: 'booking-retention', level: 'warn' });
  process.stdout.write(`${await runRetention(command, config, { logger })}\n`);
} catch (error) {
  if (!(error instanceof ConfigurationError) && !(error instanceof TypeError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
