import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  trace,
} from '@opentelemetry/api';
import type { Context, Span, Tracer } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import type { TracerProvider } from '@opentelemetry/sdk-trace';
import type { Tracing } from 'ackline';
import { openTelemetryTracing } from 'ackline/opentelemetry';
import { within } from '../../deadline.js';
import type {
  RequestFacts,
  RequestSpan,
  ServiceTracing,
  SpanAttributes,
  WorkKind,
  WorkSpan,
} from '../service-tracing.js';
import type { TellingExporter } from './telling-exporter.js';

const KINDS: Readonly<Record<WorkKind, SpanKind>> = { client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };

const w3c = new W3CTraceContextPropagator();

/** Attributes by OpenTelemetry's semantic conventions for HTTP, without those that hold addresses of people or of pages. */
export class OpenTelemetryServiceTracing implements ServiceTracing {
  readonly queue: Tracing;
  readonly #tracer: Tracer;
  #stopping: Promise<void> | undefined;

  constructor(
    private readonly provider: TracerProvider,
    private readonly exporter: TellingExporter,
  ) {
    this.queue = openTelemetryTracing({ tracerProvider: provider });
    this.#tracer = provider.getTracer('@eticket/service');
  }

  startRequest({ method, route, scheme, headers }: RequestFacts): RequestSpan {
    const attributes = {
      'http.request.method': method,
      'url.scheme': scheme,
      ...(route !== undefined && { 'http.route': route }),
    };
    const name = route === undefined ? method : `${method} ${route}`;
    const parent = w3c.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
    const span = this.#tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent);
    const inSpan = trace.setSpan(context.active(), span);
    return {
      traceparent: traceparentOf(inSpan) ?? '',
      run: (work) => context.with(inSpan, work),
      end: (status) => {
        if (status !== undefined) span.setAttribute('http.response.status_code', status);
        if (status !== undefined && status >= 500) fail(span, String(status));
        span.end();
      },
    };
  }

  async run<T>(
    name: string,
    kind: WorkKind,
    attributes: SpanAttributes,
    work: (span: WorkSpan) => Promise<T>,
  ): Promise<T> {
    const span = this.#tracer.startSpan(name, { kind: KINDS[kind], attributes: attributes });
    const workSpan: WorkSpan = {
      set: (more) => void span.setAttributes(more),
      fail: (errorType) => fail(span, errorType),
    };
    try {
      return await context.with(trace.setSpan(context.active(), span), () => work(workSpan));
    } catch (error) {
      fail(span, errorTypeOf(error));
      throw error;
    } finally {
      span.end();
    }
  }

  traceparent(): string | undefined {
    return traceparentOf(context.active());
  }

  stop(deadlineMs: number): Promise<void> {
    return (this.#stopping ??= within(this.provider.shutdown(), deadlineMs, 'sending the last spans').catch(
      (error: unknown) => this.exporter.notTaken(1, error),
    ));
  }
}

function traceparentOf(inSpan: Context): string | undefined {
  const carrier: { traceparent?: string } = {};
  w3c.inject(inSpan, carrier, defaultTextMapSetter);
  return carrier.traceparent;
}

/** The code alone: an error's message may hold personal data. */
function fail(span: Span, errorType: string): void {
  span.setAttribute('error.type', errorType);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function errorTypeOf(error: unknown): string {
  if (!(error instanceof Error)) return '_OTHER';
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' ? code : error.name;
}
