import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import {
  PaymentGateway,
  PaymentOutcomeUnknownError,
  type AuthorisationOutcome,
  type AuthorisationRequest,
  type AuthorisedCard,
  type DeclineCode,
  type CaptureRequest,
  type RefundRequest,
} from './payment-gateway.js';

/** Test cards behind the sandbox's tokens. */
const CARDS: Readonly<Record<string, AuthorisedCard>> = {
  tok_visa: { brand: 'visa', last4: '4242' },
  tok_mastercard: { brand: 'mastercard', last4: '4444' },
  tok_amex: { brand: 'amex', last4: '0005' },
};

const DECLINES: Readonly<Record<string, DeclineCode>> = {
  tok_chargeDeclined: 'card_declined',
  tok_insufficientFunds: 'insufficient_funds',
  tok_expiredCard: 'expired_card',
};

type AuthorisationState = 'authorised' | 'captured' | 'voided' | 'refunded';

/**
 * A gateway that moves no money: what happens follows from the token. `tok_timeout` is authorised, and the answer never
 * comes. Its memory is that of the process; the real one's is not.
 */
@Injectable()
export class SandboxPaymentGateway extends PaymentGateway {
  private readonly outcomes = new Map<string, AuthorisationOutcome>();
  private readonly states = new Map<string, AuthorisationState>();

  async authorise(request: AuthorisationRequest, deadlineMs: number): Promise<AuthorisationOutcome> {
    const outcome = this.outcomes.get(request.idempotencyKey) ?? this.decide(request);
    if (outcome.outcome === 'authorised') this.remember(request.idempotencyKey, outcome);
    if (request.token === 'tok_timeout') {
      await sleep(deadlineMs);
      throw new PaymentOutcomeUnknownError(`no answer to an authorisation within ${deadlineMs} ms`);
    }
    return outcome;
  }

  capture({ authorisationId }: CaptureRequest): Promise<void> {
    this.settle(authorisationId, 'captured');
    return Promise.resolve();
  }

  refund({ authorisationId }: RefundRequest): Promise<void> {
    this.settle(authorisationId, 'refunded');
    return Promise.resolve();
  }

  void(authorisationKey: string): Promise<void> {
    const outcome = this.outcomes.get(authorisationKey);
    if (outcome?.outcome === 'authorised') this.settle(outcome.authorisationId, 'voided');
    this.outcomes.delete(authorisationKey);
    return Promise.resolve();
  }

  /** How many authorisations are in a state; what specs look at. */
  count(state: AuthorisationState): number {
    return [...this.states.values()].filter((each) => each === state).length;
  }

  private decide({ token, idempotencyKey }: AuthorisationRequest): AuthorisationOutcome {
    const declineCode = DECLINES[token];
    if (declineCode !== undefined) return { outcome: 'declined', declineCode };
    const card = token === 'tok_timeout' ? CARDS.tok_visa : CARDS[token];
    if (!card) return { outcome: 'unknown_token' };
    const approvalCode = createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 6).toUpperCase();
    return { outcome: 'authorised', authorisationId: `auth_${randomUUID()}`, approvalCode, card };
  }

  private remember(idempotencyKey: string, outcome: Extract<AuthorisationOutcome, { outcome: 'authorised' }>): void {
    if (this.outcomes.has(idempotencyKey)) return;
    this.outcomes.set(idempotencyKey, outcome);
    this.states.set(outcome.authorisationId, 'authorised');
    // The oldest are forgotten: a service that runs for weeks must not grow.
    const [oldest] = this.outcomes.keys();
    if (this.outcomes.size > REMEMBERED && oldest !== undefined) this.outcomes.delete(oldest);
    const [oldestState] = this.states.keys();
    if (this.states.size > REMEMBERED && oldestState !== undefined) this.states.delete(oldestState);
  }

  private settle(authorisationId: string, state: AuthorisationState): void {
    // After a restart it is unknown here; the real gateway would know it.
    if (this.states.has(authorisationId)) this.states.set(authorisationId, state);
  }
}

const REMEMBERED = 10_000;
