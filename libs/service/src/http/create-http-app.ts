import type { IncomingMessage } from 'node:http';
import type { DynamicModule, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { NestLogger } from '../logging/nest-logger.js';
import type { Logger } from '../logging/logger.js';
import { ServiceMetrics } from '../operations/service-metrics.js';
import { NO_TRACING, type ServiceTracing } from '../tracing/service-tracing.js';
import { answerBadUrl } from './answer-bad-url.js';
import { answerClientError } from './answer-client-error.js';
import { observeRequests } from './observe-requests.js';
import { requestIdOf } from './request-id.js';

export interface HttpAppOptions {
  readonly logger: Logger;
  /** For logs and messages, e.g. `booking`. */
  readonly name: string;
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** Largest request body in bytes; 64 KiB when left out. */
  readonly bodyLimit?: number;
  /** Addresses and subnets of reverse proxies whose `X-Forwarded-For` says who asks; none when left out. */
  readonly trustedProxies?: readonly string[];
  /** Gives each request a span; none when left out. */
  readonly tracing?: ServiceTracing;
}

/** The root module of an app. */
export type RootModule = Type | DynamicModule | Promise<DynamicModule>;

const DEFAULT_BODY_LIMIT = 64 * 1024;
/** A client that is slower than this to send its request is cut off: it would hold up a shutdown for as long. */
const REQUEST_TIMEOUT_MS = 30_000;

/**
 * A Nest application on Fastify with request ids, request logs, error logs and, when {@link ServiceMetrics} are
 * provided, request metrics. Configure it, then hand it to `startHttpApp`.
 */
export async function createHttpApp(module: RootModule, options: HttpAppOptions): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({
    genReqId: (request: IncomingMessage) => requestIdOf(request.headers),
    requestIdHeader: false,
    logger: false,
    bodyLimit: options.bodyLimit ?? DEFAULT_BODY_LIMIT,
    requestTimeout: REQUEST_TIMEOUT_MS,
    trustProxy: options.trustedProxies?.length ? [...options.trustedProxies] : false,
    frameworkErrors: answerBadUrl,
    clientErrorHandler: answerClientError,
  });
  const provided: { metrics?: ServiceMetrics | undefined } = {};
  observeRequests(adapter.getInstance(), {
    logger: options.logger,
    metrics: () => provided.metrics,
    tracing: options.tracing ?? NO_TRACING,
  });
  adapter.getInstance().addHook('onSend', (_request, _reply, payload, done) => done(null, encodedOnce(payload)));
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    logger: new NestLogger(options.logger),
    abortOnError: false,
    forceCloseConnections: false,
  });
  provided.metrics = providedMetrics(app);
  return app;
}

/** A string is gone through twice, for its length and to be written: what is long costs less as bytes. */
const LONG_ANSWER = 16 * 1024;

function encodedOnce(payload: unknown): unknown {
  return typeof payload === 'string' && payload.length > LONG_ANSWER ? Buffer.from(payload) : payload;
}

/** The metrics of the operations module, where the app has it. */
function providedMetrics(app: NestFastifyApplication): ServiceMetrics | undefined {
  try {
    return app.get(ServiceMetrics, { strict: false });
  } catch {
    return undefined;
  }
}
