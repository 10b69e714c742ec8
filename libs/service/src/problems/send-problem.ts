import type { FastifyReply, FastifyRequest } from 'fastify';
import { problemType, type ApiProblem } from './problem.js';

/** Answers with the problem as `application/problem+json` (RFC 9457). */
export function sendProblem(problem: ApiProblem, request: FastifyRequest, reply: FastifyReply): void {
  setProblemHead(problem, reply);
  const body = {
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
  // As bytes: to text Fastify adds a charset, which this media type does not have.
  void reply.type('application/problem+json').send(Buffer.from(JSON.stringify(body)));
}

/** Status and headers of the answer, whatever its body is. */
export function setProblemHead({ status, retryAfter }: ApiProblem, reply: FastifyReply): void {
  if (retryAfter !== undefined) void reply.header('retry-after', String(Math.ceil(retryAfter)));
  void reply.status(status).header('cache-control', 'no-store');
}

/** The path asked for, without the query, which may hold what is personal. */
export function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? '/';
}
