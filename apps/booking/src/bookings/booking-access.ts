import { Injectable } from '@nestjs/common';
import { ProblemError } from '../problems/problem.js';
import { Clock } from '../times/clock.js';
import { AccessTokens } from './access-tokens.js';
import { BookingsRepository, type StoredBooking } from './bookings.repository.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Opens bookings to whoever has their token. A wrong token and an unknown booking look the same. */
@Injectable()
export class BookingAccess {
  constructor(
    private readonly bookings: BookingsRepository,
    private readonly tokens: AccessTokens,
    private readonly clock: Clock,
  ) {}

  /** @throws ProblemError 401 without a token, 404 when it does not open the booking. */
  async open(id: string, token: string | undefined): Promise<StoredBooking> {
    if (token === undefined) {
      throw new ProblemError('unauthorized', 'Send the accessToken of the booking: Authorization: Bearer …');
    }
    const booking = UUID.test(id) ? await this.bookings.find(id.toLowerCase()) : undefined;
    if (!booking || !(await this.tokens.opens(token, booking))) throw bookingNotFound();
    return booking;
  }

  /** The access token that a confirmation link stands for. @throws ProblemError 404. */
  async exchangeLink(id: string, linkToken: string): Promise<string> {
    const booking = UUID.test(id) ? await this.bookings.find(id.toLowerCase()) : undefined;
    if (!booking || !(await this.tokens.linkOpens(linkToken, booking, this.clock.now()))) throw bookingNotFound();
    return this.tokens.accessToken(booking);
  }
}

/** Of an unknown booking and of a wrong access alike. */
export function bookingNotFound(): ProblemError {
  return new ProblemError('booking_not_found', 'There is no such booking, or this access does not open it.');
}

/** The token of `Authorization: Bearer …`, or undefined. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return /^Bearer +([\w.~+/-]+=*) *$/i.exec(authorization ?? '')?.[1];
}
