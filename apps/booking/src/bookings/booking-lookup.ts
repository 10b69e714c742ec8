import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ticketLetters } from '../passengers/person-name.js';
import { validateFields } from '../problems/validate-fields.js';
import { keyedDigest, sameDigest } from '../security/keyed-digest.js';
import { RateLimits } from '../security/rate-limits.js';
import type { TokenSubject } from './access-tokens.js';
import { bookingNotFound } from './booking-access.js';
import { BookingsRepository } from './bookings.repository.js';
import { LookupDto } from './lookup.dto.js';

export interface FoundBooking extends TokenSubject {
  readonly reference: string;
}

/** As many surnames are compared for every reference, known or not: so the time tells nothing of it. */
const COMPARISONS = 18;

/** Finds a booking by its reference and a passenger's surname. A wrong reference and a wrong surname look the same. */
@Injectable()
export class BookingLookup {
  private readonly key = randomBytes(32);

  constructor(
    private readonly bookings: BookingsRepository,
    private readonly limits: RateLimits,
  ) {}

  /** `client` is who asks, as rate limits count it. @throws ProblemError 404, 422 or 429. */
  async find(body: unknown, client: string): Promise<FoundBooking> {
    const { reference: typed, surname } = validateFields(LookupDto, body);
    const reference = typed.trim().toUpperCase();
    // Taken before the answer is known, so that many guesses at once are no way round it; given back for a right one.
    this.limits.take('lookup', client);
    this.limits.take('reference', reference);
    const giveBack = (): void => {
      this.limits.giveBack('lookup', client);
      this.limits.giveBack('reference', reference);
    };
    const found = await this.bookings.findByReference(reference).catch((error: unknown) => {
      giveBack();
      throw error;
    });
    if (!this.isOneOf(surname, found?.familyNames ?? []) || !found) throw bookingNotFound();
    giveBack();
    return { id: found.id, tokenVersion: found.tokenVersion, reference };
  }

  private isOneOf(surname: string, familyNames: readonly string[]): boolean {
    const asked = this.digest(surname);
    let matches = 0;
    for (let index = 0; index < COMPARISONS; index++) {
      const familyName = familyNames[index];
      const same = sameDigest(asked, this.digest(familyName ?? '·'));
      if (same && familyName !== undefined) matches++;
    }
    return matches > 0;
  }

  /** Of the letters as a ticket has them: "Fernández Ortiz" and "FERNANDEZ-ORTIZ" are one name. */
  private digest(name: string): Buffer {
    return keyedDigest(this.key, ticketLetters(name) ?? name);
  }
}
