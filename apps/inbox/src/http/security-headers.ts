import type { FastifyInstance } from 'fastify';

/**
 * For the page and every answer that says nothing else: only our own files run, and nothing loads from elsewhere.
 * What a mail brings is never served under this policy as something that can run: mails' HTML has
 * {@link MAIL_HTML_POLICY}, attachments are downloads.
 */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * For the HTML of a mail: an origin of its own, no scripts, no forms, no navigation of the page around it, nothing from
 * the network. Links may open a new tab, which is then free of the sandbox, else it would be a broken page.
 */
export const MAIL_HTML_POLICY = [
  'sandbox allow-popups allow-popups-to-escape-sandbox',
  "default-src 'none'",
  'img-src data:',
  'font-src data:',
  "style-src 'unsafe-inline'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ');

/** For bytes of a mail that are only ever read or saved. */
export const MAIL_BYTES_POLICY = "sandbox; default-src 'none'; frame-ancestors 'none'";

const HEADERS = {
  'content-security-policy': PAGE_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  // Severs tabs that a mail's link opens from the inbox, whatever `rel` the link has.
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-dns-prefetch-control': 'off',
};

/** Sets the headers on every answer, errors and files included; a handler may replace the policy. */
export function addSecurityHeaders(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (_request, reply, done) => {
    void reply.headers(HEADERS);
    done();
  });
}
