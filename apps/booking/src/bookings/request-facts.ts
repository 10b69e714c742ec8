import { ProblemError } from '../problems/problem.js';

/** W3C Trace Context, version 00. */
const TRACEPARENT = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

const JSON_TYPE = /^\s*application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?;?\s*$/i;

/** Fastify reads forms and plain text too, and takes every charset for UTF-8; the API does not. @throws ProblemError 415. */
export function assertJson(headers: Readonly<Record<string, string | readonly string[] | undefined>>): void {
  const { 'content-type': type, 'content-encoding': encoding = 'identity' } = headers;
  if (typeof type !== 'string' || !JSON_TYPE.test(type))
    throw new ProblemError('unsupported_media_type', 'Send the body as application/json in UTF-8.');
  if (encoding !== 'identity') throw new ProblemError('unsupported_media_type', 'Send the body without encoding.');
}

/** The `traceparent` header, where it is one. */
export function traceparentOf(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'string' && TRACEPARENT.test(header) ? header : undefined;
}
