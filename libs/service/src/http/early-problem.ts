import { STATUS_CODES } from 'node:http';

/** Of the answers to requests that no hook or filter of an app sees. */
export const EARLY_PROBLEM_HEADERS = {
  'content-type': 'application/problem+json; charset=utf-8',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
} as const;

/** Problem details (RFC 9457) of such an answer; `members` are further ones. */
export function earlyProblem(
  status: number,
  { detail, code, ...members }: { readonly detail: string; readonly code: string; readonly requestId?: string },
): string {
  const title = STATUS_CODES[status] ?? 'Bad Request';
  return JSON.stringify({ type: 'about:blank', title, status, detail, code, ...members });
}
