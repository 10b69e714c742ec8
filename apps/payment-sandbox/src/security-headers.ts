import type { FastifyInstance } from 'fastify';

const NOTHING = "default-src 'none'; frame-ancestors 'none'";

/** Headers that browsers protect themselves by. Only a shop's page may have the card form inside. */
export function addSecurityHeaders(fastify: FastifyInstance, merchantOrigins: readonly string[]): void {
  const page = (ancestors: string): string =>
    `default-src 'none'; style-src 'self'; script-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors ${ancestors}`;
  const [form, about] = [page(merchantOrigins.join(' ')), page("'none'")];
  fastify.addHook('onRequest', (request, reply, done) => {
    const [path] = request.url.split('?', 1);
    void reply.headers({
      'content-security-policy': path === '/card-form' ? form : path === '/' ? about : NOTHING,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
    });
    done();
  });
}
