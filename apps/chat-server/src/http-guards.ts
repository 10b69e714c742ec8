import type { FastifyInstance } from 'fastify';
import { ProblemError } from './problems/problem.js';

/**
 * What protects people who have a browser open beside the room: a page elsewhere cannot post forms here, as only JSON
 * is taken, and may not be shown what is answered.
 */
export function addHttpGuards(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    void reply.headers({
      'content-security-policy': request.url.startsWith('/docs') ? DOCS_POLICY : API_POLICY,
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
    });
    const type = request.headers['content-type'];
    if (type !== undefined && !/^application\/json\s*(;|$)/i.test(type)) {
      done(new ProblemError('unsupported_media_type', 'Send the body as application/json.'));
    } else {
      done();
    }
  });
}

const API_POLICY = "default-src 'none'; frame-ancestors 'none'";
const DOCS_POLICY =
  "default-src 'none'; style-src 'self' 'unsafe-inline'; script-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'";
