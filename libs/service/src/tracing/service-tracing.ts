import type { IncomingHttpHeaders } from 'node:http';
import type { Tracing } from 'ackline';
import type { Logger } from '../logging/logger.js';
import type { TracingSettings } from './tracing-settings.js';

/** Names, numbers and codes. Never anything personal: no address, name, reference, payload or message of an error. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** The span of work that is under way. */
export interface WorkSpan {
  set(attributes: SpanAttributes): void;
  /** Marks it failed; `errorType` is a code of a bounded set. */
  fail(errorType: string): void;
}

/** How a piece of work stands to the process: `client` waits for another system, `internal` for nobody. */
export type WorkKind = 'client' | 'internal';

/** What is known of a request before it is handled. */
export interface RequestFacts {
  readonly method: string;
  /** The route's pattern, not the address; undefined where none matched. */
  readonly route: string | undefined;
  readonly scheme: string;
  /** Name the caller's span, where it has one. */
  readonly headers: IncomingHttpHeaders;
}

/** The span of an HTTP request. */
export interface RequestSpan {
  /** Names this span, for what follows from the request. */
  readonly traceparent: string;
  /** Runs what handles the request, so that its spans are children of this one. */
  run(work: () => void): void;
  /** `status` of the answer; undefined when none was sent. */
  end(status: number | undefined): void;
}

/** Spans of one service. {@link NO_TRACING} where traces are off. */
export interface ServiceTracing {
  /** For `Ackline` and `Outbox`: spans around publishing and handling; undefined when off. */
  readonly queue: Tracing | undefined;
  /** Begins the span of a request; undefined when off. */
  startRequest(facts: RequestFacts): RequestSpan | undefined;
  /** Runs work in a span, a child of the one it is called in. The span fails when the work does, with the error's code. */
  run<T>(name: string, kind: WorkKind, attributes: SpanAttributes, work: (span: WorkSpan) => Promise<T>): Promise<T>;
  /** The W3C `traceparent` of the span that the caller runs in. */
  traceparent(): string | undefined;
  /** Sends what is left, for `deadlineMs` at most; never rejects. */
  stop(deadlineMs: number): Promise<void>;
}

const NO_SPAN: WorkSpan = { set: () => undefined, fail: () => undefined };

/** Traces that are off: nothing is loaded, kept or sent. */
export const NO_TRACING: ServiceTracing = {
  queue: undefined,
  startRequest: () => undefined,
  run: (_name, _kind, _attributes, work) => work(NO_SPAN),
  traceparent: () => undefined,
  stop: () => Promise.resolve(),
};

export interface StartTracingOptions {
  /** `service.name` where the settings give none. */
  readonly service: string;
  readonly logger: Logger;
}

/**
 * Spans by OpenTelemetry, sent over OTLP in the background, when the settings ask for it. A collector that is slow or away
 * costs spans and a line in the log, never a request. OpenTelemetry is loaded only here and only then.
 */
export async function startTracing(
  settings: TracingSettings | undefined,
  options: StartTracingOptions,
): Promise<ServiceTracing> {
  if (settings === undefined) return NO_TRACING;
  const { startOpenTelemetry } = await import('./opentelemetry/start-open-telemetry.js');
  return startOpenTelemetry(settings, options);
}
