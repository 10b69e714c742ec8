import { ROOT_CONTEXT, SpanKind, SpanStatusCode, context, trace } from '@opentelemetry/api';
import type { Attributes, Context, Link, Span, SpanContext, Tracer, TracerProvider } from '@opentelemetry/api';
import type { TailHandler } from '../../consume/tail-consumer.js';
import type { Delivery, Handler } from '../../delivery.js';
import { RedeliverError } from '../../errors.js';
import type { Message, PreparedMessage } from '../../message.js';
import type { Tracing } from '../../tracing.js';
import { deliveryAttributes, errorType, processAttributes, publishAttributes } from './attributes.js';
import { creatorOf, hasTrace, withTrace } from './trace-context.js';

/** How {@link openTelemetryTracing} makes spans. */
export interface OpenTelemetryTracingOptions {
  /** Default: the one registered with `@opentelemetry/api`, which may come later. */
  readonly tracerProvider?: TracerProvider;
  /**
   * How the second and later deliveries of a message stand to its publishing. `link` (default): a trace of their own
   * with a link to it, so that a message that waits for days stretches no trace over days. `child`: in the same trace.
   */
  readonly redeliveries?: 'link' | 'child';
}

/**
 * Spans by OpenTelemetry from `publish` to the handler, over every process between, by W3C trace context in the message
 * headers `traceparent` and `tracestate`:
 *
 * - `publish orders` (producer) around storing; a message that names another trace already (one that a relay passes on)
 *   keeps it and is linked.
 * - `process orders` (consumer) around a handler: the child of what published the message; of redeliveries see
 *   {@link OpenTelemetryTracingOptions.redeliveries}. It fails when the handler fails, with `error.type`. Tails are linked.
 *
 * @example
 * const ackline = new Ackline({ driver, tracing: openTelemetryTracing() });
 */
export function openTelemetryTracing(options: OpenTelemetryTracingOptions = {}): Tracing {
  return new OpenTelemetryTracing(options);
}

interface SpanPlace {
  readonly parent: Context;
  readonly links: Link[];
}

class OpenTelemetryTracing implements Tracing {
  readonly #tracer: Tracer;
  readonly #redeliveries: 'link' | 'child';

  constructor({ tracerProvider, redeliveries = 'link' }: OpenTelemetryTracingOptions) {
    this.#tracer = (tracerProvider ?? trace).getTracer('ackline');
    this.#redeliveries = redeliveries;
  }

  publish<T>(
    queue: string,
    messages: readonly PreparedMessage[],
    store: (messages: readonly PreparedMessage[]) => Promise<T>,
  ): Promise<T> {
    const active = trace.getSpanContext(context.active())?.traceId;
    // Handed over from the request that this is a part of: of one trace the publish is the nearer parent.
    const isNamedHere = ({ headers }: PreparedMessage): boolean =>
      active !== undefined && creatorOf(headers)?.traceId === active;
    const keepsTrace = (message: PreparedMessage): boolean => hasTrace(message.headers) && !isNamedHere(message);
    const links = messages.filter(keepsTrace).flatMap(({ headers }) => linkTo(creatorOf(headers)));
    const attributes = publishAttributes(queue, messages);
    const span = this.#tracer.startSpan(`publish ${queue}`, { kind: SpanKind.PRODUCER, attributes, links });
    const inSpan = trace.setSpan(context.active(), span);
    const traced = messages.map((message) =>
      keepsTrace(message) ? message : { ...message, headers: withTrace(message.headers, inSpan) },
    );
    return runIn(span, inSpan, () => store(traced));
  }

  handle(delivery: Delivery, handler: Handler): Promise<void> {
    const { message, deliveryCount } = delivery;
    const isChild = deliveryCount === 1 || this.#redeliveries === 'child';
    const attributes = { ...processAttributes(message), ...deliveryAttributes(delivery) };
    return this.#process(message, attributes, isChild, async () => handler(delivery));
  }

  handleTail(message: Message, handler: TailHandler): Promise<void> {
    return this.#process(message, processAttributes(message), false, async () => handler(message));
  }

  #process(message: Message, attributes: Attributes, isChild: boolean, work: () => Promise<void>): Promise<void> {
    const { parent, links } = placeOf(creatorOf(message.headers), isChild);
    const span = this.#tracer.startSpan(
      `process ${message.queue}`,
      { kind: SpanKind.CONSUMER, attributes, links },
      parent,
    );
    return runIn(span, trace.setSpan(parent, span), work);
  }
}

function placeOf(creator: SpanContext | undefined, isChild: boolean): SpanPlace {
  if (creator && isChild) return { parent: trace.setSpanContext(ROOT_CONTEXT, creator), links: [] };
  return { parent: ROOT_CONTEXT, links: linkTo(creator) };
}

function linkTo(creator: SpanContext | undefined): Link[] {
  return creator ? [{ context: creator }] : [];
}

/** An error's message is left out: it may hold personal data. A redelivery that the handler planned is no error. */
async function runIn<T>(span: Span, inSpan: Context, work: () => Promise<T>): Promise<T> {
  try {
    return await context.with(inSpan, work);
  } catch (thrown) {
    span.setAttribute('error.type', errorType(thrown));
    if (!(thrown instanceof RedeliverError)) span.setStatus({ code: SpanStatusCode.ERROR });
    throw thrown;
  } finally {
    span.end();
  }
}
