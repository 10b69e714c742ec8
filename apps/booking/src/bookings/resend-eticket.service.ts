import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { MailStatusRepository } from '../mail-status/mail-status.repository.js';
import { ProblemError } from '../problems/problem.js';
import { RateLimits } from '../security/rate-limits.js';
import { Clock } from '../times/clock.js';
import { confirmedMessage } from './booking-event.js';
import { BookingEvents } from './booking-events.js';
import { bookingNotFound } from './booking-access.js';
import { BookingsRepository } from './bookings.repository.js';

export interface ResendRequest {
  readonly bookingId: string;
  readonly traceparent: string | undefined;
  /** The version that the asker saw: of two clicks on one page only the first sends. Undefined: whatever it is. */
  readonly ifVersion?: number;
}

/** Has the e-ticket mailed again, on purpose: a new version of the booking's event, and of nothing else. */
@Injectable()
export class ResendEticketService {
  constructor(
    private readonly bookings: BookingsRepository,
    private readonly statuses: MailStatusRepository,
    private readonly events: BookingEvents,
    private readonly limits: RateLimits,
    private readonly clock: Clock,
  ) {}

  /**
   * The version that is being sent; undefined, and nothing is sent, when `ifVersion` is no longer the booking's.
   * @throws ProblemError 409 when it is cancelled, 429.
   */
  async resend({ bookingId, traceparent, ifVersion }: ResendRequest): Promise<number | undefined> {
    this.limits.take('resend', bookingId);
    const version = await this.bookings.transaction(async (tx) => {
      const booking = await this.bookings.lock(tx, bookingId);
      if (!booking) throw bookingNotFound();
      if (booking.status === 'cancelled') {
        // Nothing was sent: asked often, the answer stays this one, and does not become 429.
        this.limits.giveBack('resend', bookingId);
        throw new ProblemError('booking_cancelled', 'The booking is cancelled: its tickets are no longer valid.');
      }
      if (ifVersion !== undefined && booking.version !== ifVersion) return undefined;
      const [version, { snapshot }] = [booking.version + 1, booking];
      await this.bookings.setVersion(tx, bookingId, version);
      await this.statuses.queueAgain(tx, bookingId, version);
      const facts = { eventId: randomUUID(), version, occurredAt: this.clock.now(), traceparent };
      await this.events.enqueue(tx, confirmedMessage(snapshot, facts));
      return version;
    });
    if (version === undefined) this.limits.giveBack('resend', bookingId);
    else this.events.published();
    return version;
  }
}
