import { INVALID_SPAN_CONTEXT, TraceFlags, createTraceState, isSpanContextValid, trace } from '@opentelemetry/api';
import type { Context, SpanContext } from '@opentelemetry/api';
import type { MessageHeaders } from '../../message.js';

/** Header names of W3C Trace Context (https://www.w3.org/TR/trace-context/), in lower case as it asks for. */
const TRACEPARENT = 'traceparent';
const TRACESTATE = 'tracestate';
/** Version, trace id, parent id, flags; later versions may append more. */
const FORMAT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

export function hasTrace(headers: MessageHeaders): boolean {
  return TRACEPARENT in headers;
}

/** The headers with the context's span named in them; as they were when it has none. */
export function withTrace(headers: MessageHeaders, context: Context): MessageHeaders {
  const span = trace.getSpanContext(context);
  if (!span || !isSpanContextValid(span)) return headers;
  const flags = span.traceFlags.toString(16).padStart(2, '0');
  const state = span.traceState?.serialize();
  return {
    ...headers,
    [TRACEPARENT]: `00-${span.traceId}-${span.spanId}-${flags}`,
    ...(state && { [TRACESTATE]: state }),
  };
}

/** Who created the message, as its headers say; undefined when they do not, or not in the standard's form. */
export function creatorOf(headers: MessageHeaders): SpanContext | undefined {
  const [, version, traceId, spanId, flags] = FORMAT.exec(headers[TRACEPARENT] ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || version === 'ff') return undefined;
  const state = headers[TRACESTATE];
  const creator: SpanContext = {
    ...INVALID_SPAN_CONTEXT,
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags ?? '00', 16) & TraceFlags.SAMPLED,
    isRemote: true,
    ...(state !== undefined && { traceState: createTraceState(state) }),
  };
  return isSpanContextValid(creator) ? creator : undefined;
}
