import type { FastifyInstance } from 'fastify';

/** Pages load their own style and scripts, nothing inline and nothing from elsewhere. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
/** Swagger UI brings styles of its own in the page, and icons as data. */
const DOCS_POLICY =
  "default-src 'none'; style-src 'self' 'unsafe-inline'; script-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; frame-ancestors 'none'";
const API_POLICY = "default-src 'none'; frame-ancestors 'none'";

/** Headers that browsers protect themselves by, on every answer, errors too. */
export function addSecurityHeaders(
  fastify: FastifyInstance,
  { isSecure, cardFormOrigin }: { readonly isSecure: () => boolean; readonly cardFormOrigin: string | undefined },
): void {
  const policyFor = policies(cardFormOrigin);
  fastify.addHook('onRequest', (request, reply, done) => {
    void reply.headers({
      'content-security-policy': policyFor(request.url),
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
      ...(isSecure() && { 'strict-transport-security': 'max-age=31536000' }),
    });
    done();
  });
}

/** The payment page alone has a frame: the gateway's card form. */
function policies(cardFormOrigin: string | undefined): (url: string) => string {
  const paymentPolicy = cardFormOrigin === undefined ? PAGE_POLICY : `${PAGE_POLICY}; frame-src ${cardFormOrigin}`;
  return (url) => {
    if (url.startsWith('/api')) return API_POLICY;
    if (url.startsWith('/docs')) return DOCS_POLICY;
    return url.startsWith('/book/') ? paymentPolicy : PAGE_POLICY;
  };
}
