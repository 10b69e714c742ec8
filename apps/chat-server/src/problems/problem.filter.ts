import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Logger } from '@eticket/service';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RoomUnavailableError } from '../room/publisher.js';
import { ProblemError, type ProblemCode } from './problem.js';

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
    const { retryAfterMs } = problem;
    if (retryAfterMs !== undefined) void reply.header('retry-after', String(Math.ceil(retryAfterMs / 1_000)));
    if (problem.status === 401) void reply.header('www-authenticate', 'Bearer realm="chat room"');
    const body = {
      type: `/docs#${problem.code}`,
      title: problem.title,
      status: problem.status,
      detail: problem.message,
      instance: request.url.split('?', 1)[0],
      code: problem.code,
      requestId: request.id,
      ...(problem.errors && { errors: problem.errors }),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    };
    void reply
      .status(problem.status)
      .header('cache-control', 'no-store')
      .type('application/problem+json')
      // As bytes: to text Fastify adds a charset, which this media type does not have.
      .send(Buffer.from(JSON.stringify(body)));
  }
}

function problemOf(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  if (error instanceof RoomUnavailableError) {
    const detail = 'The room cannot be reached for the moment; please try again.';
    return new ProblemError('room_unavailable', detail, { retryAfterMs: RETRY_AFTER_MS, cause: error });
  }
  const status = statusOf(error);
  const known = status === undefined ? undefined : CLIENT_PROBLEMS[status];
  if (known) return new ProblemError(...known(error));
  if (status !== undefined && status >= 400 && status < 500) {
    return new ProblemError('bad_request', 'The request cannot be understood.');
  }
  return new ProblemError('internal_error', 'Please try again, or tell us the request id.', { cause: error });
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

function statusOf(error: unknown): number | undefined {
  if (error instanceof HttpException) return error.getStatus();
  const status = (error as { readonly statusCode?: unknown } | null)?.statusCode;
  return typeof status === 'number' ? status : undefined;
}

/** The message and those below it: the last one knows. */
function whyOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}: ${whyOf(error.cause)}`;
}
