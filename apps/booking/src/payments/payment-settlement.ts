import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from '@eticket/service';
import { Clock } from '../times/clock.js';
import { LOGGER } from '../tokens.js';
import { CardPayments, type ReservedMoney } from './card-payments.js';
import { PaymentRefusedError } from './payment-gateway.js';
import { PaymentsRepository, type OpenPayment } from './payments.repository.js';

/** Moves a stored booking's money: takes what is authorised, gives back what is to be refunded. Each step works twice. */
@Injectable()
export class PaymentSettlement {
  constructor(
    private readonly payments: PaymentsRepository,
    private readonly cards: CardPayments,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * True: nothing is left to do. Never throws: the booking stands whatever happens here, and the recovery comes back to
   * what could not be done.
   */
  settle(bookingId: string): Promise<boolean> {
    return this.attempt(bookingId, async () => {
      const open = await this.payments.open(bookingId);
      if (open) await this.steps(open);
    });
  }

  /** As {@link settle}, of a booking that was stored a moment ago: what is left to do is known. */
  settleNew({ id: authorisationId, bookingId }: ReservedMoney): Promise<boolean> {
    const open = { bookingId, authorisationId, toCapture: true, toRefund: undefined };
    return this.attempt(bookingId, () => this.steps(open));
  }

  private async attempt(bookingId: string, work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (err) {
      this.logger.warn({ err, bookingId }, 'a payment could not be settled yet');
      return false;
    }
  }

  private async steps({ bookingId, authorisationId, toCapture, toRefund }: OpenPayment): Promise<void> {
    if (toCapture && !(await this.capture(bookingId, authorisationId))) return;
    if (!toRefund) return;
    try {
      await this.cards.refund({ id: authorisationId, bookingId }, toRefund);
      await this.payments.markRefunded(bookingId, this.clock.now());
    } catch (error) {
      if (!(error instanceof PaymentRefusedError)) throw error;
      this.logger.error({ err: error, bookingId }, 'a refund that is owed was refused: see to it by hand');
      await this.payments.mark(bookingId, 'refund_refused');
    }
  }

  private async capture(bookingId: string, id: string): Promise<boolean> {
    try {
      await this.cards.capture({ id, bookingId });
      await this.payments.mark(bookingId, 'captured');
      return true;
    } catch (error) {
      if (!(error instanceof PaymentRefusedError)) throw error;
      this.logger.error({ err: error, bookingId }, 'a ticketed booking can no longer be charged: see to it by hand');
      await this.payments.mark(bookingId, 'uncollectable');
      return false;
    }
  }
}
