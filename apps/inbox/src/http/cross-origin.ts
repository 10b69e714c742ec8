import type { FastifyInstance } from 'fastify';

/** Lets pages of `origin` call MailHog's API, as MailHog's own setting does. */
export function addCrossOriginHeaders(fastify: FastifyInstance, origin: string): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    if (!/^\/api\/v[12]\//.test(request.url)) return done();
    void reply.headers({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'OPTIONS,GET,POST,DELETE',
      'access-control-allow-headers': 'Content-Type',
    });
    // A preflight is answered for every path, so that it needs no routes of its own.
    if (request.method === 'OPTIONS') void reply.code(200).send();
    else done();
  });
}
