import { randomBytes } from 'node:crypto';
import '@fastify/cookie';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PublicAddress } from '../bookings/public-address.js';
import { ProblemError } from '../problems/problem.js';
import { keyedDigest, sameDigest } from './keyed-digest.js';
import { SecretKeys } from './secret-keys.js';

const COOKIE = 'visitor';
const VISITOR = /^[\w-]{22}$/;

/**
 * Lets forms be sent by our own pages alone. The browser says where a request comes from (Fetch Metadata; Origin where
 * it is older), and the form has to hold a token that only a page made for this browser's cookie has.
 */
@Injectable()
export class FormGuard {
  constructor(
    private readonly keys: SecretKeys,
    private readonly address: PublicAddress,
  ) {}

  /** The token for a form of a page; gives the browser its cookie. */
  async token(request: FastifyRequest, reply: FastifyReply): Promise<string> {
    const given = request.cookies[COOKIE];
    const visitor = given !== undefined && VISITOR.test(given) ? given : randomBytes(16).toString('base64url');
    if (visitor !== given) {
      const secure = this.address.isSecure;
      void reply.setCookie(COOKIE, visitor, { path: '/', httpOnly: true, sameSite: 'lax', secure });
    }
    return (await this.digest(visitor)).toString('base64url');
  }

  /** @throws ProblemError 403. */
  async check(request: FastifyRequest, token: string | undefined): Promise<void> {
    const visitor = request.cookies[COOKIE];
    const expected = visitor === undefined ? undefined : await this.digest(visitor);
    const given = Buffer.from(token ?? '', 'base64url');
    if (isOurs(request) && expected && sameDigest(given, expected)) return;
    throw new ProblemError('form_refused', 'Forms are taken from our own pages, with their cookie.');
  }

  private async digest(visitor: string): Promise<Buffer> {
    return keyedDigest(await this.keys.key('form-token'), visitor);
  }
}

function isOurs({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  const { origin } = headers;
  // Pages send no referrer, and with that some browsers no origin: then the token alone decides.
  if (origin === undefined || origin === 'null') return true;
  return URL.canParse(origin) && new URL(origin).host === headers.host;
}
