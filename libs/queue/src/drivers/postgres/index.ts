import { PostgresDriver } from './postgres-driver.js';
import type { PostgresDriverOptions } from './postgres-driver.js';

export { PostgresDriver };
export type { PostgresDriverOptions };

/** The queue on PostgreSQL. @throws InvalidOptionError when the connection string is not a PostgreSQL URL. */
export function postgresDriver(options: PostgresDriverOptions): PostgresDriver {
  return new PostgresDriver(options);
}
