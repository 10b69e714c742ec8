import type { Migration } from 'kysely';
import { bookingsMigration } from './0001-bookings.js';
import { keyExpiryMigration } from './0002-key-expiry.js';
import { paymentRecoveryMigration } from './0003-payment-recovery.js';
import { refusedRefundsMigration } from './0004-refused-refunds.js';
import { anonymisedBookingsMigration } from './0005-anonymised-bookings.js';

/** In order. Never change one that was released. */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001-bookings': bookingsMigration,
  '0002-key-expiry': keyExpiryMigration,
  '0003-payment-recovery': paymentRecoveryMigration,
  '0004-refused-refunds': refusedRefundsMigration,
  '0005-anonymised-bookings': anonymisedBookingsMigration,
};
