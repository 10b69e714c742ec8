import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { EARLY_PROBLEM_HEADERS, earlyProblem } from './early-problem.js';

/**
 * Answers a request whose URL Fastify cannot route (a broken percent-escape, a part that is too long) as problem details
 * (RFC 9457): no hook or filter of the app sees such a request.
 */
export function answerBadUrl(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const status = error.statusCode ?? 400;
  void reply
    .code(status)
    .headers({ ...EARLY_PROBLEM_HEADERS, 'x-request-id': request.id })
    .send(earlyProblem(status, { detail: 'The address cannot be read.', code: 'bad_url', requestId: request.id }));
}
