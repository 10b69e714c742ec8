import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Logger } from '@eticket/service';
import { frameworkProblem, sendProblem } from '@eticket/service/problems';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RoomUnavailableError } from '../room/publisher.js';
import { ProblemError } from './problem.js';

const RETRY_AFTER_MS = 1_000;

/** Every error of a request as `application/problem+json` (RFC 9457). */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly logger: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const problem = problemOf(error);
    if (problem.code === 'internal_error') {
      this.logger.error({ requestId: request.id, err: error }, 'a request failed for an unforeseen reason');
    } else if (problem.status >= 500) {
      this.logger.warn({ requestId: request.id, why: whyOf(error) }, 'a request could not be served');
    }
    if (reply.sent) return;
    if (problem.status === 401) void reply.header('www-authenticate', 'Bearer realm="chat room"');
    sendProblem(problem, request, reply);
  }
}

function problemOf(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  if (error instanceof RoomUnavailableError) {
    const detail = 'The room cannot be reached for the moment; please try again.';
    return new ProblemError('room_unavailable', detail, { retryAfterMs: RETRY_AFTER_MS, cause: error });
  }
  const known = frameworkProblem(error);
  if (known) return new ProblemError(...known);
  return new ProblemError('internal_error', 'Please try again, or tell us the request id.', { cause: error });
}

/** The message and those below it: the last one knows. */
function whyOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}: ${whyOf(error.cause)}`;
}
