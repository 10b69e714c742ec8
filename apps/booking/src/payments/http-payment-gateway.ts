import { CARD_BRANDS, type CardBrand } from '@eticket/contracts';
import { Injectable } from '@nestjs/common';
import { toWire, type Amount } from '../money/money.js';
import {
  DECLINE_CODES,
  PaymentGateway,
  PaymentOutcomeUnknownError,
  PaymentRefusedError,
  type AuthorisationOutcome,
  type AuthorisationRequest,
  type CaptureRequest,
  type DeclineCode,
  type RefundRequest,
} from './payment-gateway.js';

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * A gateway reached by HTTP, such as `apps/payment-sandbox`. Every call is a POST with JSON and an `Idempotency-Key`:
 *
 * | call | answers |
 * |---|---|
 * | `/authorisations` `{ amount: { amount, currency }, token }` | 201 `{ id, approvalCode, card: { brand, last4 } }`; 402 `{ declineCode }`; 422 unknown token; 409 voided or expired before |
 * | `/authorisations/{id}/capture` | 200; 409 when it can no longer be taken, as after it has expired |
 * | `/authorisations/{id}/refunds` `{ amount: { amount, currency } }` | 201; 409 when it cannot be given back |
 * | `/voids` `{ authorisationKey }` | 200, also where it has expired or nothing was authorised under that key: nothing will be |
 *
 * No answer in time and 5xx say nothing about what was done: the same call is made again with the same key.
 */
@Injectable()
export class HttpPaymentGateway extends PaymentGateway {
  constructor(private readonly url: string) {
    super();
  }

  async authorise(request: AuthorisationRequest, deadlineMs: number): Promise<AuthorisationOutcome> {
    const { idempotencyKey, amount, token } = request;
    const { status, body } = await this.post(
      '/authorisations',
      idempotencyKey,
      { amount: toWire(amount), token },
      deadlineMs,
    );
    if (status === 201) return readAuthorisation(body);
    if (status === 402) return { outcome: 'declined', declineCode: readDeclineCode(body.declineCode) };
    if (status === 422) return { outcome: 'unknown_token' };
    throw new PaymentRefusedError(`the gateway answered an authorisation with ${status}`);
  }

  async capture({ idempotencyKey, authorisationId }: CaptureRequest, deadlineMs: number): Promise<void> {
    await this.settle(authorisationId, 'capture', idempotencyKey, {}, deadlineMs);
  }

  async refund({ idempotencyKey, authorisationId, amount }: RefundRequest, deadlineMs: number): Promise<void> {
    await this.settle(authorisationId, 'refunds', idempotencyKey, wireAmount(amount), deadlineMs);
  }

  async void(authorisationKey: string, deadlineMs: number): Promise<void> {
    const { status } = await this.post('/voids', `void-${authorisationKey}`, { authorisationKey }, deadlineMs);
    if (status !== 200) throw new PaymentRefusedError(`the gateway answered a void with ${status}`);
  }

  private async settle(id: string, call: string, key: string, body: object, deadlineMs: number): Promise<void> {
    const path = `/authorisations/${encodeURIComponent(id)}/${call}`;
    const { status } = await this.post(path, key, body, deadlineMs);
    if (status >= 300) throw new PaymentRefusedError(`the gateway answered ${call} with ${status}`);
  }

  /** @throws PaymentOutcomeUnknownError. */
  private async post(path: string, idempotencyKey: string, body: object, deadlineMs: number): Promise<Answer> {
    let answer: Answer;
    try {
      const response = await fetch(`${this.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
        body: JSON.stringify(body),
        redirect: 'error',
        signal: AbortSignal.timeout(deadlineMs),
      });
      const parsed: unknown = await response.json();
      answer = { status: response.status, body: typeof parsed === 'object' && parsed !== null ? { ...parsed } : {} };
    } catch (cause) {
      throw new PaymentOutcomeUnknownError(`no answer of the payment gateway within ${deadlineMs} ms`, { cause });
    }
    if (answer.status >= 500 || answer.status === 429) {
      throw new PaymentOutcomeUnknownError(`the payment gateway answered ${answer.status}`);
    }
    return answer;
  }
}

function wireAmount(amount: Amount): object {
  return { amount: toWire(amount) };
}

function readAuthorisation({ id, approvalCode, card }: Answer['body']): AuthorisationOutcome {
  const { brand, last4 } = (card ?? {}) as { readonly brand?: unknown; readonly last4?: unknown };
  const known = (CARD_BRANDS as readonly unknown[]).includes(brand);
  if (typeof id !== 'string' || typeof approvalCode !== 'string' || typeof last4 !== 'string' || !known) {
    // What it authorised will be voided by the key.
    throw new PaymentOutcomeUnknownError('the payment gateway gave an authorisation that cannot be read');
  }
  return { outcome: 'authorised', authorisationId: id, approvalCode, card: { brand: brand as CardBrand, last4 } };
}

/** A reason that this service does not know is the bank's. */
function readDeclineCode(code: unknown): DeclineCode {
  return DECLINE_CODES.find((known) => known === code) ?? 'card_declined';
}
