import type { FastifyInstance } from 'fastify';
import { withLogContext } from '../logging/log-context.js';
import type { Logger } from '../logging/logger.js';
import type { ServiceMetrics } from '../operations/service-metrics.js';
import { newTraceparent, traceIdOf } from '../tracing/trace-context.js';
import { REQUEST_ID_HEADER } from './request-id.js';

/** Asked every few seconds by probes: not worth a line each. */
const PROBES = new Set(['/health/live', '/health/ready', '/metrics']);

/**
 * Gives each request its id in the answer and in all its log lines, one line when it is done, and its metrics. Logged
 * is the route's pattern, not the address: paths and query strings can hold names. A request without a W3C `traceparent`
 * gets one, so that what follows from it elsewhere can be found by its trace id.
 */
export function observeRequests(
  fastify: FastifyInstance,
  logger: Logger,
  metrics: () => ServiceMetrics | undefined,
): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    void reply.header(REQUEST_ID_HEADER, request.id);
    if (traceIdOf(request.headers.traceparent) === undefined) {
      request.headers.traceparent = newTraceparent();
      delete request.headers.tracestate;
    }
    withLogContext({ requestId: request.id, traceId: traceIdOf(request.headers.traceparent) }, done);
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
