import { describeFields, type FieldError } from '@eticket/service/problems';
import { SandboxProblem } from '../problem.js';

export interface Amount {
  /** As it was sent: a decimal string. */
  readonly amount: string;
  readonly currency: string;
}

const AMOUNT = /^\d{1,15}(\.\d{1,4})?$/;
const CURRENCY = /^[A-Z]{3}$/;
const TOKEN = /^tok_[A-Za-z0-9]{1,64}$/;
const KEY = /^[\x21-\x7e]{1,255}$/;

/** @throws SandboxProblem 400. */
export function readKey(header: string | undefined): string {
  if (header !== undefined && KEY.test(header)) return header;
  throw new SandboxProblem('idempotency_key_missing', 'Send an Idempotency-Key of up to 255 visible characters.');
}

/** @throws SandboxProblem 422. */
export function readAmount(body: unknown): Amount {
  const { amount, currency } = (memberOf(body, 'amount') ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof amount !== 'string' || !AMOUNT.test(amount) || Number(amount) === 0)
    throw invalid('/amount/amount', 'has to be a decimal string above 0');
  if (typeof currency !== 'string' || !CURRENCY.test(currency))
    throw invalid('/amount/currency', 'has to be an ISO 4217 code');
  return { amount, currency };
}

/** A text that can be no card number. @throws SandboxProblem 422. */
export function readToken(body: unknown): string {
  const token = memberOf(body, 'token');
  if (typeof token === 'string' && TOKEN.test(token)) return token;
  throw invalid('/token', 'has to be a payment token, never a card number');
}

/** @throws SandboxProblem 422. */
export function readAuthorisationKey(body: unknown): string {
  const key = memberOf(body, 'authorisationKey');
  if (typeof key === 'string' && KEY.test(key)) return key;
  throw invalid('/authorisationKey', 'has to be the Idempotency-Key of an authorisation');
}

function memberOf(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null ? (body as Readonly<Record<string, unknown>>)[name] : undefined;
}

function invalid(pointer: string, message: string): SandboxProblem {
  const errors: readonly FieldError[] = [{ pointer, code: 'invalid', message }];
  return new SandboxProblem('validation_error', describeFields(errors), { errors });
}
