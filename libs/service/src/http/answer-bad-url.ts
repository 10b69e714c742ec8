import { STATUS_CODES } from 'node:http';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';

/**
 * Answers a request whose URL Fastify cannot route (a broken percent-escape, a part that is too long) as problem details
 * (RFC 9457): no hook or filter of the app sees such a request.
 */
export function answerBadUrl(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const status = error.statusCode ?? 400;
  void reply
    .code(status)
    .headers({
      'content-type': 'application/problem+json; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'x-request-id': request.id,
      'cache-control': 'no-store',
    })
    .send(
      JSON.stringify({
        type: 'about:blank',
        title: STATUS_CODES[status] ?? 'Bad Request',
        status,
        detail: 'The address cannot be read.',
        code: 'bad_url',
        requestId: request.id,
      }),
    );
}
