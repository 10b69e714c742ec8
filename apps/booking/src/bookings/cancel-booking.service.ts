import { randomUUID } from 'node:crypto';
import { QUEUES } from '@eticket/contracts';
import { Injectable } from '@nestjs/common';
import { MailStatusRepository } from '../mail-status/mail-status.repository.js';
import { PaymentSettlement } from '../payments/payment-settlement.js';
import { PaymentsRepository } from '../payments/payments.repository.js';
import { ProblemError } from '../problems/problem.js';
import { Clock } from '../times/clock.js';
import { bookingNotFound } from './booking-access.js';
import { cancelledMessage } from './booking-event.js';
import { BookingEvents } from './booking-events.js';
import { BookingsRepository } from './bookings.repository.js';
import { mayStillCancel, refundOf } from './refund-of.js';

/** Cancels a booking: its tickets end, the refund is owed and paid, the traveller is mailed. Again is the same. */
@Injectable()
export class CancelBookingService {
  constructor(
    private readonly bookings: BookingsRepository,
    private readonly payments: PaymentsRepository,
    private readonly statuses: MailStatusRepository,
    private readonly events: BookingEvents,
    private readonly settlement: PaymentSettlement,
    private readonly clock: Clock,
  ) {}

  /** @throws ProblemError 409 once the first flight has left. */
  async cancel(bookingId: string, traceparent: string | undefined): Promise<void> {
    const cancelled = await this.bookings.transaction(async (tx) => {
      const booking = await this.bookings.lock(tx, bookingId);
      if (!booking) throw bookingNotFound();
      if (booking.status === 'cancelled') return false;
      const [{ snapshot }, version, now] = [booking, booking.version + 1, this.clock.now()];
      if (!mayStillCancel(snapshot, now)) {
        throw new ProblemError('booking_not_cancellable', 'The first flight has left; please write to us.');
      }
      await this.bookings.cancel(tx, bookingId, version, now);
      const refund = await this.payments.setRefund(tx, bookingId, refundOf(snapshot));
      await this.statuses.queueAgain(tx, bookingId, version);
      const facts = { eventId: randomUUID(), version, occurredAt: now, traceparent };
      await this.events.enqueue(tx, cancelledMessage(snapshot, refund, facts), QUEUES.eticketCancelled);
      return true;
    });
    if (cancelled) this.events.published(QUEUES.eticketCancelled);
    // What the gateway cannot do now, the recovery does later.
    await this.settlement.settle(bookingId);
  }
}
