import { Catch, Inject, Injectable, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Logger } from '@eticket/service';
import { frameworkProblem, pathOf, sendProblem, setProblemHead } from '@eticket/service/problems';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { languageOf, pageOf } from '../pages/language.js';
import { PageRenderer } from '../pages/page-renderer.js';
import { WORDS } from '../pages/words.js';
import { LOGGER } from '../tokens.js';
import { isDatabaseAway } from './database-away.js';
import { ProblemError } from './problem.js';

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
    if (problem.status === 401) void reply.header('www-authenticate', 'Bearer realm="bookings"');
    if (wantsPage(request)) {
      setProblemHead(problem, reply);
      const page = this.pages.problem(problem, request.id, WORDS[languageOf(request)], pageOf(request));
      void reply.type('text/html; charset=utf-8').send(page);
    } else {
      sendProblem(problem, request, reply);
    }
  }
}

function wantsPage(request: FastifyRequest): boolean {
  return !pathOf(request).startsWith('/api') && (request.headers.accept ?? '').includes('text/html');
}

function problemOf(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  if (isDatabaseAway(error)) {
    return new ProblemError('service_unavailable', 'Bookings cannot be reached for the moment; please try again.', {
      retryAfter: RETRY_AFTER_SECONDS,
      cause: error,
    });
  }
  const known = frameworkProblem(error);
  if (known) return new ProblemError(...known);
  return new ProblemError('internal_error', 'Nothing was lost; please try again, or tell us the request id.', {
    cause: error,
  });
}
