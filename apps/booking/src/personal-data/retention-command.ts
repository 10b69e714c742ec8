import { parseArgs } from 'node:util';
import { createDatabase, createPool, migrateSchema, ServiceMetrics, type Logger } from '@eticket/service';
import type { BookingConfig } from '../booking-config.js';
import { BOOKING_SCHEMA, BookingStore, type BookingDatabase } from '../database/booking-database.js';
import { MIGRATIONS } from '../database/migrations/index.js';
import { BackgroundWork } from '../schedule/background-work.js';
import { Clock } from '../times/clock.js';
import { PersonalDataRepository } from './personal-data.repository.js';
import { PersonalDataRetention } from './personal-data-retention.js';

export interface RetentionCommand {
  readonly dryRun: boolean;
}

/** @throws TypeError for an option that there is not. */
export function readRetentionCommand(args: readonly string[]): RetentionCommand {
  const { values } = parseArgs({ args: [...args], options: { 'dry-run': { type: 'boolean' } } });
  return { dryRun: values['dry-run'] ?? false };
}

/** Once, now: what the service does on schedule, or only how much there would be to do. Gives the sentence to show. */
export async function runRetention(
  { dryRun }: RetentionCommand,
  config: BookingConfig,
  { logger, clock = new Clock() }: { readonly logger: Logger; readonly clock?: Clock },
): Promise<string> {
  const pool = createPool({ connectionString: config.databaseUrl, applicationName: 'booking-retention', logger });
  try {
    await migrateSchema(pool, { schema: BOOKING_SCHEMA, migrations: MIGRATIONS, logger });
    const tables = createDatabase<BookingDatabase>(pool).withSchema(BOOKING_SCHEMA);
    const repository = new PersonalDataRepository(new BookingStore(tables, pool, () => undefined));
    const work = new BackgroundWork(logger);
    const metrics = new ServiceMetrics({ service: 'booking-retention' });
    const retention = new PersonalDataRetention(repository, work, clock, config.personalDataDays, logger, metrics);
    const day = retention.firstDayKept;
    const about = `whose last flight was before ${day} (${config.personalDataDays} days)`;
    if (dryRun)
      return `${await repository.countBefore(day)} bookings ${about} would be anonymised; nothing was changed.`;
    return `${await retention.run()} bookings ${about} were anonymised.`;
  } finally {
    await pool.end();
  }
}
