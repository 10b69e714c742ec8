import type { CardBrand } from '@eticket/contracts';
import type { Amount } from '../money/money.js';

export const DECLINE_CODES = ['card_declined', 'insufficient_funds', 'expired_card'] as const;
export type DeclineCode = (typeof DECLINE_CODES)[number];

export interface AuthorisationRequest {
  /** The same key asks for the same authorisation again and never for a second one. */
  readonly idempotencyKey: string;
  readonly amount: Amount;
  /** Stands for a card at the gateway. Never logged, never stored. */
  readonly token: string;
}

/** All that is ever known here of a card. */
export interface AuthorisedCard {
  readonly brand: CardBrand;
  readonly last4: string;
}

export type AuthorisationOutcome =
  | {
      readonly outcome: 'authorised';
      readonly authorisationId: string;
      readonly approvalCode: string;
      readonly card: AuthorisedCard;
    }
  | { readonly outcome: 'declined'; readonly declineCode: DeclineCode }
  | { readonly outcome: 'unknown_token' };

export interface CaptureRequest {
  readonly idempotencyKey: string;
  readonly authorisationId: string;
}

export interface RefundRequest extends CaptureRequest {
  readonly amount: Amount;
}

/** The gateway will not do it, however often it is asked. */
export class PaymentRefusedError extends Error {
  readonly code = 'payment_refused';
  readonly retryable = false;
  override readonly name = 'PaymentRefusedError';
}

/** The gateway did not answer in time: whether it did what it was asked is not known. Ask again by the same key. */
export class PaymentOutcomeUnknownError extends Error {
  readonly code = 'payment_outcome_unknown';
  readonly retryable = true;
  override readonly name = 'PaymentOutcomeUnknownError';
}

/**
 * The port to whoever moves the money. Each call ends by `deadlineMs`. An authorisation reserves the amount; only a
 * capture takes it, and a void gives it free.
 */
export abstract class PaymentGateway {
  /** @throws PaymentOutcomeUnknownError when no answer came in time, PaymentRefusedError for a key voided before. */
  abstract authorise(request: AuthorisationRequest, deadlineMs: number): Promise<AuthorisationOutcome>;

  /** Takes what was authorised; works twice. @throws PaymentOutcomeUnknownError, PaymentRefusedError. */
  abstract capture(request: CaptureRequest, deadlineMs: number): Promise<void>;

  /** Gives back a part or all of what was taken; the same key, once. @throws PaymentOutcomeUnknownError, PaymentRefusedError. */
  abstract refund(request: RefundRequest, deadlineMs: number): Promise<void>;

  /**
   * Gives free what was authorised under this key, also when its answer never came; works twice, and where there is
   * nothing. @throws PaymentOutcomeUnknownError.
   */
  abstract void(authorisationKey: string, deadlineMs: number): Promise<void>;
}
