/** Every `code` that this API's errors carry, with its status and title. `docs-json` shows the same. */
export const PROBLEMS = {
  unreadable_json: { status: 400, title: 'The body is not readable JSON' },
  idempotency_key_missing: { status: 400, title: 'An Idempotency-Key is needed' },
  bad_request: { status: 400, title: 'The request cannot be understood' },
  unauthorized: { status: 401, title: 'An access token is needed' },
  payment_declined: { status: 402, title: 'The card was declined' },
  form_refused: { status: 403, title: 'The form cannot be used' },
  booking_not_found: { status: 404, title: 'No such booking' },
  offer_not_found: { status: 404, title: 'No such offer' },
  not_found: { status: 404, title: 'Nothing is here' },
  offer_no_longer_available: { status: 409, title: 'The offer is no longer available' },
  price_changed: { status: 409, title: 'The price has changed' },
  booking_cancelled: { status: 409, title: 'The booking is cancelled' },
  booking_not_cancellable: { status: 409, title: 'The booking can no longer be cancelled' },
  request_in_progress: { status: 409, title: 'The first request is still in progress' },
  payload_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The body has to be JSON' },
  validation_error: { status: 422, title: 'Some fields are not valid' },
  idempotency_key_reused: { status: 422, title: 'The Idempotency-Key belongs to another request' },
  rate_limited: { status: 429, title: 'Too many requests' },
  internal_error: { status: 500, title: 'Something went wrong here' },
  payment_unavailable: { status: 503, title: 'The payment provider does not answer' },
  too_many_streams: { status: 503, title: 'Too many event streams are open' },
  service_unavailable: { status: 503, title: 'Not possible for the moment' },
} as const;

export type ProblemCode = keyof typeof PROBLEMS;

/** What is wrong with one field. */
export interface FieldError {
  /** RFC 6901 pointer into the body; of a query, `/` and the parameter's name. */
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
}

export interface ProblemOptions extends ErrorOptions {
  readonly errors?: readonly FieldError[];
  /** Seconds; sent as `Retry-After`. */
  readonly retryAfter?: number;
  /** Members beside those of RFC 9457, e.g. `declineCode`. */
  readonly members?: Readonly<Record<string, unknown>>;
  /** Path of the page that a browser is offered to go on at. */
  readonly again?: string;
}

/** An answer other than success. Thrown anywhere below a controller; holds nothing personal. */
export class ProblemError extends Error {
  readonly status: number;
  readonly title: string;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  readonly errors: readonly FieldError[] | undefined;
  readonly retryAfter: number | undefined;
  readonly members: Readonly<Record<string, unknown>>;
  readonly again: string | undefined;

  constructor(
    readonly code: ProblemCode,
    /** One sentence for the caller: what is wrong, what to do. */
    detail: string,
    options: ProblemOptions = {},
  ) {
    super(detail, options);
    this.status = PROBLEMS[code].status;
    this.title = PROBLEMS[code].title;
    this.retryable = this.status === 503 || this.status === 429 || code === 'request_in_progress';
    this.errors = options.errors;
    this.retryAfter = options.retryAfter;
    this.members = options.members ?? {};
    this.again = options.again;
  }

  override get name(): string {
    return 'ProblemError';
  }
}

/** 422 for fields, named in `errors`. */
export function invalidFields(errors: readonly FieldError[]): ProblemError {
  const [first] = errors;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return new ProblemError('validation_error', `${first?.pointer ?? ''} ${first?.message ?? ''}${more}`.trim(), {
    errors,
  });
}
