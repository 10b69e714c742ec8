import type { FormOfPayment } from '@eticket/contracts';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from '@eticket/service';
import type { Amount } from '../money/money.js';
import { invalidFields, ProblemError } from '../problems/problem.js';
import { LOGGER, PAYMENT_DEADLINE_MS } from '../tokens.js';
import {
  PaymentGateway,
  PaymentOutcomeUnknownError,
  PaymentRefusedError,
  type AuthorisationOutcome,
  type AuthorisationRequest,
  type DeclineCode,
} from './payment-gateway.js';

export interface ReservedMoney {
  /** The gateway's id of the authorisation. */
  readonly id: string;
  readonly bookingId: string;
}

/** Money reserved for one booking, and the card it comes from. */
export interface Authorisation extends ReservedMoney {
  readonly formOfPayment: FormOfPayment;
}

const TRIES = 2;

const DECLINE_DETAILS: Readonly<Record<DeclineCode, string>> = {
  card_declined: 'The bank has declined the card; nothing was charged. Please use another one.',
  insufficient_funds: 'The card has not enough funds; nothing was charged. Please use another one.',
  expired_card: 'The card has expired; nothing was charged. Please use another one.',
};

/**
 * Takes a booking's money in two steps: authorise before the booking is stored, capture after. The gateway's
 * idempotency key follows from the booking's id, so that an attempt continued after a crash finds its authorisation.
 */
@Injectable()
export class CardPayments {
  constructor(
    private readonly gateway: PaymentGateway,
    @Inject(PAYMENT_DEADLINE_MS) private readonly deadlineMs: number,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @throws ProblemError 402 declined, 422 no such token, 503 when the gateway does not answer: give back. */
  async authorise(bookingId: string, amount: Amount, token: string): Promise<Authorisation> {
    const outcome = await this.ask({ idempotencyKey: keyOf('authorise', bookingId), amount, token });
    switch (outcome.outcome) {
      case 'authorised': {
        const { authorisationId: id, approvalCode, card } = outcome;
        return { id, bookingId, formOfPayment: { brand: card.brand, last4: card.last4, approvalCode } };
      }
      case 'declined':
        throw new ProblemError('payment_declined', DECLINE_DETAILS[outcome.declineCode], {
          members: { declineCode: outcome.declineCode },
        });
      case 'unknown_token':
        throw invalidFields([
          { pointer: '/payment/token', code: 'invalid_payment_token', message: 'is not a token of this gateway' },
        ]);
    }
  }

  /** Takes the money. @throws PaymentOutcomeUnknownError, PaymentRefusedError. */
  async capture({ id, bookingId }: ReservedMoney): Promise<void> {
    await this.gateway.capture({ idempotencyKey: keyOf('capture', bookingId), authorisationId: id }, this.deadlineMs);
  }

  /** Gives a part or all of it back. @throws PaymentOutcomeUnknownError, PaymentRefusedError. */
  async refund({ id, bookingId }: ReservedMoney, amount: Amount): Promise<void> {
    const request = { idempotencyKey: keyOf('refund', bookingId), authorisationId: id, amount };
    await this.gateway.refund(request, this.deadlineMs);
  }

  /**
   * Gives the money free that was, or may have been, reserved for a booking that is not stored. False when the gateway
   * does not answer: it has to be asked again.
   */
  async giveBack(bookingId: string): Promise<boolean> {
    try {
      await this.gateway.void(keyOf('authorise', bookingId), this.deadlineMs);
      return true;
    } catch (err) {
      this.logger.warn({ err, bookingId }, 'a payment for no booking could not be voided yet');
      return false;
    }
  }

  /** Asked again by the same key, the gateway says what it did the first time. */
  private async ask(request: AuthorisationRequest): Promise<AuthorisationOutcome> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.gateway.authorise(request, this.deadlineMs);
      } catch (error) {
        const unknown = error instanceof PaymentOutcomeUnknownError;
        if (!unknown && !(error instanceof PaymentRefusedError)) throw error;
        if (unknown && tries < TRIES) continue;
        const detail = 'The payment provider does not answer; nothing was charged. Please try again in a moment.';
        throw new ProblemError('payment_unavailable', detail, { retryAfter: 10, cause: error });
      }
    }
  }
}

function keyOf(step: 'authorise' | 'capture' | 'refund', bookingId: string): string {
  return `${step}-${bookingId}`;
}
