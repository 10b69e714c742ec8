/** One kind of answer other than success. */
export interface ProblemKind {
  readonly status: number;
  readonly title: string;
  /** The same request may succeed later. Of 429 and 503 that is so without saying. */
  readonly retryable?: boolean;
}

/** The kinds that an API answers with, by their `code`. */
export type ProblemKinds<Code extends string = string> = Readonly<Record<Code, ProblemKind>>;

/** Of every API: what cannot be read, and what nobody foresaw. */
export const COMMON_PROBLEMS = {
  unreadable_json: { status: 400, title: 'The body is not readable JSON' },
  bad_request: { status: 400, title: 'The request cannot be understood' },
  not_found: { status: 404, title: 'Nothing is here' },
  payload_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The body has to be JSON' },
  validation_error: { status: 422, title: 'Some fields are not valid' },
  internal_error: { status: 500, title: 'Something went wrong here' },
} as const satisfies ProblemKinds;

export type CommonProblemCode = keyof typeof COMMON_PROBLEMS;

/** What is wrong with one field. */
export interface FieldError {
  /** RFC 6901 pointer into the body; of a query, `/` and the parameter's name. */
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
}

export interface ProblemOptions extends ErrorOptions {
  readonly errors?: readonly FieldError[];
  /** Seconds; sent as `Retry-After`, rounded up. */
  readonly retryAfter?: number;
  /** Members beside those of RFC 9457, e.g. `declineCode`. */
  readonly members?: Readonly<Record<string, unknown>>;
}

/**
 * An answer other than success. Thrown anywhere below a controller; holds nothing personal. An app derives its own
 * class, which knows the app's kinds.
 */
export class ApiProblem<Code extends string = string> extends Error {
  override readonly name: string = 'ProblemError';
  readonly status: number;
  readonly title: string;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  readonly errors: readonly FieldError[] | undefined;
  readonly retryAfter: number | undefined;
  readonly members: Readonly<Record<string, unknown>>;

  constructor(
    kinds: ProblemKinds<Code>,
    readonly code: Code,
    /** One sentence for the caller: what is wrong, what to do. */
    detail: string,
    options: ProblemOptions = {},
  ) {
    super(detail, options);
    const kind = kinds[code];
    this.status = kind.status;
    this.title = kind.title;
    this.retryable = isRetryable(kind);
    this.errors = options.errors;
    this.retryAfter = options.retryAfter;
    this.members = options.members ?? {};
  }

  /** What Fastify asks an error for that is thrown in a hook. */
  get statusCode(): number {
    return this.status;
  }
}

/** Whether the same request may succeed later. */
export function isRetryable({ status, retryable }: ProblemKind): boolean {
  return retryable ?? (status === 429 || status === 503);
}

/** A URI reference that identifies the kind of problem; the API's documentation lists them. */
export function problemType(code: string): string {
  return `/docs#${code}`;
}
