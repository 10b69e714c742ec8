import { ProblemError } from '../problems/problem.js';

/** W3C Trace Context, version 00. */
const TRACEPARENT = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Fastify reads forms and plain text too; the API does not. @throws ProblemError 415. */
export function assertJson(contentType: string | undefined): void {
  if (contentType !== undefined && /^application\/json\s*(;|$)/i.test(contentType.trim())) return;
  throw new ProblemError('unsupported_media_type', 'Send the body as application/json.');
}

/** The `traceparent` header, where it is one. */
export function traceparentOf(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'string' && TRACEPARENT.test(header) ? header : undefined;
}
