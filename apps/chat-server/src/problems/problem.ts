import { ApiProblem, COMMON_PROBLEMS, type ProblemKinds, type ProblemOptions } from '@eticket/service/problems';

/** Every `code` that this API's errors carry, with its status and title. */
export const PROBLEMS = {
  ...COMMON_PROBLEMS,
  token_required: { status: 401, title: 'A token is needed' },
  token_unknown: { status: 401, title: 'Nobody in the room has this token' },
  wrong_user: { status: 403, title: 'The token is another user’s' },
  username_taken: { status: 409, title: 'The name is taken' },
  room_full: { status: 409, title: 'The room is full' },
  too_many_requests: { status: 429, title: 'Too much at once' },
  room_unavailable: { status: 503, title: 'The room cannot be reached for the moment' },
} as const satisfies ProblemKinds;

export type ProblemCode = keyof typeof PROBLEMS;

export interface RoomProblemOptions extends Pick<ProblemOptions, 'cause' | 'errors'> {
  /** Sent as `Retry-After`, in whole seconds, and exactly as `retryAfterMs`. */
  readonly retryAfterMs?: number;
}

/** An answer other than success. Thrown anywhere below a controller. */
export class ProblemError extends ApiProblem<ProblemCode> {
  constructor(code: ProblemCode, detail: string, { retryAfterMs, ...options }: RoomProblemOptions = {}) {
    super(PROBLEMS, code, detail, {
      ...options,
      ...(retryAfterMs !== undefined && { retryAfter: retryAfterMs / 1_000, members: { retryAfterMs } }),
    });
  }
}
