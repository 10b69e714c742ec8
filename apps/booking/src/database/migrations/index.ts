import type { Migration } from 'kysely';
import { bookingsMigration } from './0001-bookings.js';

/** In order. Never change one that was released. */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001-bookings': bookingsMigration,
};
