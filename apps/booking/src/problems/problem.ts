import {
  ApiProblem,
  COMMON_PROBLEMS,
  describeFields,
  type FieldError,
  type ProblemKinds,
  type ProblemOptions,
} from '@eticket/service/problems';

/** Every `code` that this API's errors carry, with its status and title. `docs-json` shows the same. */
export const PROBLEMS = {
  ...COMMON_PROBLEMS,
  /** Answered before any controller is asked (libs/service, answer-bad-url.ts). */
  bad_url: { status: 414, title: 'The address is too long' },
  idempotency_key_missing: { status: 400, title: 'An Idempotency-Key is needed' },
  unauthorized: { status: 401, title: 'An access token is needed' },
  payment_declined: { status: 402, title: 'The card was declined' },
  form_refused: { status: 403, title: 'The form cannot be used' },
  booking_not_found: { status: 404, title: 'No such booking' },
  offer_not_found: { status: 404, title: 'No such offer' },
  offer_no_longer_available: { status: 409, title: 'The offer is no longer available' },
  price_changed: { status: 409, title: 'The price has changed' },
  booking_cancelled: { status: 409, title: 'The booking is cancelled' },
  booking_not_cancellable: { status: 409, title: 'The booking can no longer be cancelled' },
  request_in_progress: { status: 409, title: 'The first request is still in progress', retryable: true },
  idempotency_key_reused: { status: 422, title: 'The Idempotency-Key belongs to another request' },
  rate_limited: { status: 429, title: 'Too many requests' },
  payment_unavailable: { status: 503, title: 'The payment provider does not answer' },
  too_many_streams: { status: 503, title: 'Too many event streams are open' },
  service_unavailable: { status: 503, title: 'Not possible for the moment' },
} as const satisfies ProblemKinds;

export type ProblemCode = keyof typeof PROBLEMS;

export interface BookingProblemOptions extends ProblemOptions {
  /** Path of the page that a browser is offered to go on at. */
  readonly again?: string;
}

/** An answer other than success. Thrown anywhere below a controller; holds nothing personal. */
export class ProblemError extends ApiProblem<ProblemCode> {
  readonly again: string | undefined;

  constructor(code: ProblemCode, detail: string, options: BookingProblemOptions = {}) {
    super(PROBLEMS, code, detail, options);
    this.again = options.again;
  }
}

/** 422 for fields, named in `errors`. */
export function invalidFields(errors: readonly FieldError[]): ProblemError {
  return new ProblemError('validation_error', describeFields(errors), { errors });
}
