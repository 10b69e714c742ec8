/** Every `code` that this API's errors carry, with its status and title. */
export const PROBLEMS = {
  unreadable_json: { status: 400, title: 'The body is not readable JSON' },
  bad_request: { status: 400, title: 'The request cannot be understood' },
  token_required: { status: 401, title: 'A token is needed' },
  token_unknown: { status: 401, title: 'Nobody in the room has this token' },
  wrong_user: { status: 403, title: 'The token is another user’s' },
  not_found: { status: 404, title: 'Nothing is here' },
  username_taken: { status: 409, title: 'The name is taken' },
  room_full: { status: 409, title: 'The room is full' },
  payload_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The body has to be JSON' },
  validation_error: { status: 422, title: 'Some fields are not valid' },
  too_many_requests: { status: 429, title: 'Too much at once' },
  internal_error: { status: 500, title: 'Something went wrong here' },
  room_unavailable: { status: 503, title: 'The room cannot be reached for the moment' },
} as const;

export type ProblemCode = keyof typeof PROBLEMS;

/** What is wrong with one field. */
export interface FieldError {
  /** RFC 6901 pointer into the body. */
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
}

export interface ProblemOptions extends ErrorOptions {
  readonly errors?: readonly FieldError[];
  /** Sent as `Retry-After`, in whole seconds, and exactly as `retryAfterMs`. */
  readonly retryAfterMs?: number;
}

/** An answer other than success. Thrown anywhere below a controller. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly status: number;
  readonly title: string;
  readonly retryable: boolean;
  readonly errors: readonly FieldError[] | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(
    readonly code: ProblemCode,
    /** One sentence for the caller: what is wrong, what to do. */
    detail: string,
    options: ProblemOptions = {},
  ) {
    super(detail, options);
    this.status = PROBLEMS[code].status;
    this.title = PROBLEMS[code].title;
    this.retryable = options.retryAfterMs !== undefined;
    this.errors = options.errors;
    this.retryAfterMs = options.retryAfterMs;
  }

  /** What Fastify asks an error for. */
  get statusCode(): number {
    return this.status;
  }
}
