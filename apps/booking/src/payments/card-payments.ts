import type { FormOfPayment } from '@eticket/contracts';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from '@eticket/service';
import type { Amount } from '../money/money.js';
import { invalidFields, ProblemError } from '../problems/problem.js';
import { LOGGER, PAYMENT_DEADLINE_MS } from '../tokens.js';
import {
  PaymentGateway,
  PaymentOutcomeUnknownError,
  type AuthorisationOutcome,
  type AuthorisationRequest,
  type DeclineCode,
} from './payment-gateway.js';

/** Money reserved for one booking. */
export interface Authorisation {
  readonly id: string;
  readonly bookingId: string;
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

  /** Takes the money. False when the gateway does not answer: the booking stands, and the money is still reserved. */
  async capture({ id, bookingId }: Authorisation): Promise<boolean> {
    try {
      const request = { idempotencyKey: keyOf('capture', bookingId), authorisationId: id };
      await this.gateway.capture(request, this.deadlineMs);
      return true;
    } catch (err) {
      this.logger.error({ err, bookingId }, 'a payment is authorised and could not be captured');
      return false;
    }
  }

  /** Gives the money free that was, or may have been, reserved for a booking that was not stored. Never throws. */
  async giveBack(bookingId: string): Promise<void> {
    try {
      await this.gateway.void(keyOf('authorise', bookingId), this.deadlineMs);
    } catch (err) {
      this.logger.error({ err, bookingId }, 'a payment for no booking could not be voided; it will lapse uncaptured');
    }
  }

  /** Asked again by the same key, the gateway says what it did the first time. */
  private async ask(request: AuthorisationRequest): Promise<AuthorisationOutcome> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.gateway.authorise(request, this.deadlineMs);
      } catch (error) {
        if (!(error instanceof PaymentOutcomeUnknownError)) throw error;
        if (tries < TRIES) continue;
        const detail = 'The payment provider does not answer; nothing was charged. Please try again in a moment.';
        throw new ProblemError('payment_unavailable', detail, { retryAfter: 10, cause: error });
      }
    }
  }
}

function keyOf(step: 'authorise' | 'capture', bookingId: string): string {
  return `${step}-${bookingId}`;
}
