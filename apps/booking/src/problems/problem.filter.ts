import { Catch, HttpException, Inject, Injectable, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Logger } from '@eticket/service';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { languageOf } from '../pages/language.js';
import { PageRenderer } from '../pages/page-renderer.js';
import { WORDS } from '../pages/words.js';
import { LOGGER } from '../tokens.js';
import { problemType } from './api-problems.decorator.js';
import { isDatabaseAway } from './database-away.js';
import { ProblemError, type ProblemCode } from './problem.js';

/** How soon a caller may try again while the database is away; it is looked for about once a second. */
const RETRY_AFTER_SECONDS = 5;

/** Every error of an HTTP request as `application/problem+json`; on the pages, for a browser, as a page. */
@Catch()
@Injectable()
export class ProblemFilter implements ExceptionFilter {
  constructor(
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly pages: PageRenderer,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const problem = problemOf(error);
    if (problem.status >= 500) {
      const fields = { requestId: request.id, code: problem.code, err: problem.cause ?? error };
      if (problem.code === 'internal_error') this.logger.error(fields, 'a request failed for an unforeseen reason');
      else this.logger.warn(fields, 'a request could not be served');
    }
    if (reply.sent) return;
    if (problem.retryAfter !== undefined) void reply.header('retry-after', String(problem.retryAfter));
    if (problem.status === 401) void reply.header('www-authenticate', 'Bearer realm="bookings"');
    void reply.status(problem.status).header('cache-control', 'no-store');
    if (wantsPage(request)) {
      void reply
        .type('text/html; charset=utf-8')
        .send(this.pages.problem(problem, request.id, WORDS[languageOf(request)]));
    } else {
      // As bytes: to text Fastify adds a charset, which this media type does not have.
      void reply.type('application/problem+json').send(Buffer.from(JSON.stringify(bodyOf(problem, request))));
    }
  }
}

function bodyOf(problem: ProblemError, request: FastifyRequest): Record<string, unknown> {
  return {
    type: problemType(problem.code),
    title: problem.title,
    status: problem.status,
    detail: problem.message,
    instance: pathOf(request),
    code: problem.code,
    requestId: request.id,
    ...problem.members,
    ...(problem.errors && { errors: problem.errors }),
  };
}

function wantsPage(request: FastifyRequest): boolean {
  return !pathOf(request).startsWith('/api') && (request.headers.accept ?? '').includes('text/html');
}

/** Without the query, which may hold a link token. */
function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? '/';
}

function problemOf(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  if (isDatabaseAway(error)) {
    return new ProblemError('service_unavailable', 'Bookings cannot be reached for the moment; please try again.', {
      retryAfter: RETRY_AFTER_SECONDS,
      cause: error,
    });
  }
  const status = statusOf(error);
  const known = status === undefined ? undefined : CLIENT_PROBLEMS[status];
  if (known) return new ProblemError(...known(error));
  if (status !== undefined && status >= 400 && status < 500) {
    return new ProblemError('bad_request', 'The request cannot be understood.');
  }
  return new ProblemError('internal_error', 'Nothing was lost; please try again, or tell us the request id.', {
    cause: error,
  });
}

function statusOf(error: unknown): number | undefined {
  if (error instanceof HttpException) return error.getStatus();
  const status = (error as { readonly statusCode?: unknown } | null)?.statusCode;
  return typeof status === 'number' ? status : undefined;
}

/** Fastify's and Nest's own errors. */
const CLIENT_PROBLEMS: Readonly<Record<number, ((error: unknown) => [ProblemCode, string]) | undefined>> = {
  400: (error) =>
    /JSON|__proto__|Body|prototype/i.test(error instanceof Error ? error.message : '')
      ? ['unreadable_json', 'The body is not readable JSON.']
      : ['bad_request', 'The request cannot be understood.'],
  404: () => ['not_found', 'There is nothing at this address.'],
  413: () => ['payload_too_large', 'The body is larger than 64 KiB.'],
  415: () => ['unsupported_media_type', 'Send the body as application/json.'],
};
