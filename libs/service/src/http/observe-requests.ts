import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { withLogContext } from '../logging/log-context.js';
import type { Logger } from '../logging/logger.js';
import type { ServiceMetrics } from '../operations/service-metrics.js';
import type { RequestSpan, ServiceTracing } from '../tracing/service-tracing.js';
import { newTraceparent, traceIdOf } from '../tracing/trace-context.js';
import { REQUEST_ID_HEADER } from './request-id.js';

/** Asked every few seconds by probes: not worth a line each. */
const PROBES = new Set(['/health/live', '/health/ready', '/metrics']);

/** Where what is seen of requests goes. */
export interface RequestObservers {
  readonly logger: Logger;
  readonly metrics: () => ServiceMetrics | undefined;
  readonly tracing: ServiceTracing;
}

/**
 * Gives each request its id in the answer and in all its log lines, one line when it is done, its metrics, and its span
 * where traces are on. Named is the route's pattern, not the address: paths and query strings can hold names. The request's
 * `traceparent` names its span; without traces it stays the caller's, and a request that has none gets one, so that what
 * follows from it elsewhere can be found by its trace id.
 */
export function observeRequests(fastify: FastifyInstance, { logger, metrics, tracing }: RequestObservers): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    void reply.header(REQUEST_ID_HEADER, request.id);
    const span = startSpan(tracing, request, reply);
    if (span) {
      request.headers.traceparent = span.traceparent;
    } else if (traceIdOf(request.headers.traceparent) === undefined) {
      request.headers.traceparent = newTraceparent();
      delete request.headers.tracestate;
    }
    const handle = (): void =>
      withLogContext({ requestId: request.id, traceId: traceIdOf(request.headers.traceparent) }, done);
    if (span) span.run(handle);
    else handle();
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unmatched';
    const { method } = request;
    const { statusCode: status, elapsedTime } = reply;
    metrics()?.observeHttpRequest({ method, route, status, seconds: elapsedTime / 1000 });
    if (!PROBES.has(route)) {
      const traceId = traceIdOf(request.headers.traceparent);
      const line = { requestId: request.id, traceId, method, route, status, durationMs: Math.round(elapsedTime) };
      if (status >= 500) logger.error(line, 'request failed');
      else logger.info(line, 'request done');
    }
    done();
  });
  fastify.addHook('onError', (request, _reply, error, done) => {
    const status = (error as { readonly statusCode?: number }).statusCode ?? 500;
    if (status >= 500)
      logger.error(
        { requestId: request.id, traceId: traceIdOf(request.headers.traceparent), err: error },
        'request failed with an error',
      );
    done();
  });
}

/** It ends when the answer is sent or its reader has gone, which for a stream of events is the usual end. */
function startSpan(tracing: ServiceTracing, request: FastifyRequest, reply: FastifyReply): RequestSpan | undefined {
  const { method, protocol: scheme, headers } = request;
  const route = request.routeOptions.url;
  if (route !== undefined && PROBES.has(route)) return undefined;
  const span = tracing.startRequest({ method, route, scheme, headers });
  if (span) reply.raw.once('close', () => span.end(reply.raw.headersSent ? reply.raw.statusCode : undefined));
  return span;
}
