import { randomBytes } from 'node:crypto';

/** W3C Trace Context §3.2, version 00: trace id, id of the calling span, flags. Anything else could forge log lines. */
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/;
const ZERO = /^0+$/;

/** The trace id in a `traceparent` header, what all log lines and messages of one request share; undefined where it is none. */
export function traceIdOf(traceparent: unknown): string | undefined {
  const [, traceId, spanId] = (typeof traceparent === 'string' && TRACEPARENT.exec(traceparent)) || [];
  if (traceId === undefined || spanId === undefined || ZERO.test(traceId) || ZERO.test(spanId)) return undefined;
  return traceId;
}

/** A trace that begins here. Sampled: whoever records spans further on decides whether to keep them. */
export function newTraceparent(): string {
  return `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`;
}
