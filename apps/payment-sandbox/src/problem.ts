import { ApiProblem, COMMON_PROBLEMS, type ProblemOptions } from '@eticket/service/problems';

/** Every `code` that the gateway's calls answer with, beside success. */
export const PROBLEMS = {
  ...COMMON_PROBLEMS,
  idempotency_key_missing: { status: 400, title: 'An Idempotency-Key is needed' },
  payment_declined: { status: 402, title: 'The bank declines the card' },
  card_form_elsewhere: { status: 403, title: 'The card form belongs into the page of a shop' },
  idempotency_key_reused: { status: 409, title: 'The Idempotency-Key belongs to another request' },
  authorisation_voided: { status: 409, title: 'This authorisation was voided' },
  authorisation_expired: { status: 409, title: 'This authorisation has expired' },
  not_capturable: { status: 409, title: 'The money can no longer be taken' },
  not_refundable: { status: 409, title: 'The money cannot be given back' },
  not_voidable: { status: 409, title: 'The money was taken: it can only be refunded' },
  unknown_token: { status: 422, title: 'No card stands behind this token' },
  no_answer: { status: 504, title: 'The bank does not answer' },
} as const;

export type ProblemCode = keyof typeof PROBLEMS;

/** An answer other than success. */
export class SandboxProblem extends ApiProblem<ProblemCode> {
  constructor(code: ProblemCode, detail?: string, options: ProblemOptions = {}) {
    super(PROBLEMS, code, detail ?? `${PROBLEMS[code].title}.`, options);
  }
}
