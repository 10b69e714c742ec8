import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { BookingStore } from '../database/booking-database.js';
import type { SecretSource } from './secret-keys.js';

const NAME = 'booking';

/**
 * The secret for services that were given none (BOOKING_SECRET): made at the first start and kept in the database, so
 * that all nodes have the same and tokens and offers outlive a restart. Who can read it there can read the bookings too.
 */
@Injectable()
export class StoredSecret implements SecretSource {
  constructor(private readonly store: BookingStore) {}

  async secret(): Promise<string> {
    const { db } = this.store;
    const made = randomBytes(32).toString('base64url');
    await db
      .insertInto('secrets')
      .values({ name: NAME, value: made })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute();
    const { value } = await db.selectFrom('secrets').select('value').where('name', '=', NAME).executeTakeFirstOrThrow();
    return value;
  }
}
