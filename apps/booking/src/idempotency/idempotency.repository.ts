import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { BookingStore } from '../database/booking-database.js';

/** The right to carry out the request of a key. */
export interface Claim {
  readonly key: string;
  readonly id: string;
  /** Of the booking to make. */
  readonly bookingId: string;
}

export interface KeyRecord {
  readonly fingerprint: Buffer;
  /** The answer that the key's request got, once there is one. */
  readonly response: string | null;
  /** Whether its attempt has had all its time and left no answer. */
  readonly abandoned: boolean;
}

/** Longer than a request can take (two tries of the payment gateway and a transaction); then another may finish it. */
const CLAIM_SECONDS = 45;

const CLAIM_KEY = `
  insert into booking.idempotency_keys as taken (key, fingerprint, booking_id, claim, claimed_until)
  values ($1, $2, $3, $4, now() + make_interval(secs => $5))
  on conflict (key) do update set claim = excluded.claim, claimed_until = excluded.claimed_until
   where taken.response is null and taken.claimed_until < now() and taken.fingerprint = excluded.fingerprint
  returning booking_id`;

/** Another process has taken over the key's request meanwhile; nothing of this attempt may be stored. */
export class ClaimLostError extends Error {
  readonly code = 'claim_lost';
  readonly retryable = true;
  override readonly name = 'ClaimLostError';
}

@Injectable()
export class IdempotencyRepository {
  constructor(private readonly store: BookingStore) {}

  /**
   * Takes the key where it is new, or where the same request began and was left unfinished; undefined where it is
   * somebody's. Durable when resolved.
   */
  async claim(key: string, fingerprint: Buffer): Promise<Claim | undefined> {
    const id = randomUUID();
    const [row] = await this.store.prepared<{ booking_id: string }>('claim-key', CLAIM_KEY, [
      key,
      fingerprint,
      randomUUID(),
      id,
      CLAIM_SECONDS,
    ]);
    return row && { key, id, bookingId: row.booking_id };
  }

  async find(key: string): Promise<KeyRecord | undefined> {
    return this.store.db
      .selectFrom('idempotency_keys')
      .select(['fingerprint', 'response', sql<boolean>`response is null and claimed_until < now()`.as('abandoned')])
      .where('key', '=', key)
      .executeTakeFirst();
  }

  /**
   * Takes an attempt's right to store anything away. Defined: it has stored nothing, and cannot any more, because a
   * statement that records the answer holds this row until its commit, and one that comes later finds another claim.
   * Undefined: an answer is recorded, or another attempt has taken over.
   */
  async seize(claim: Claim): Promise<Claim | undefined> {
    const id = randomUUID();
    const { numUpdatedRows } = await this.store.db
      .updateTable('idempotency_keys')
      .set({ claim: id, claimed_until: sql<Date>`now() + make_interval(secs => ${CLAIM_SECONDS})` })
      .where('key', '=', claim.key)
      .where('claim', '=', claim.id)
      .where('response', 'is', null)
      .executeTakeFirst();
    return numUpdatedRows === 1n ? { ...claim, id } : undefined;
  }

  /** Seizes one attempt that has had all its time and left no answer; no two nodes get the same. */
  async takeOverAbandoned(): Promise<Claim | undefined> {
    const id = randomUUID();
    const { rows } = await sql<{ key: string; booking_id: string }>`
      update booking.idempotency_keys
         set claim = ${id}, claimed_until = now() + make_interval(secs => ${CLAIM_SECONDS})
       where key = (select key from booking.idempotency_keys
                     where response is null and claimed_until < now()
                     order by claimed_until limit 1 for update skip locked)
      returning key, booking_id`.execute(this.store.db);
    const [row] = rows;
    return row && { key: row.key, id, bookingId: row.booking_id };
  }

  /** Leaves a claim to whoever comes next: the same request again, or the recovery. */
  async leave(claim: Claim): Promise<void> {
    await this.store.db
      .updateTable('idempotency_keys')
      .set({ claimed_until: sql<Date>`now() - interval '1 second'` })
      .where('key', '=', claim.key)
      .where('claim', '=', claim.id)
      .execute();
  }

  /** Forgets a key whose request stored nothing and reserved nothing, so that it can be sent again. */
  async release(claim: Claim): Promise<void> {
    await this.store.db
      .deleteFrom('idempotency_keys')
      .where('key', '=', claim.key)
      .where('claim', '=', claim.id)
      .where('response', 'is', null)
      .execute();
  }

  /** Forgets answered keys taken before `time`; a key whose request is unfinished is left to it. */
  async forgetBefore(time: Date): Promise<void> {
    await this.store.db
      .deleteFrom('idempotency_keys')
      .where('created_at', '<', time)
      .where('response', 'is not', null)
      .execute();
  }
}
