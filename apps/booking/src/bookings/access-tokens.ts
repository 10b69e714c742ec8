import { Injectable } from '@nestjs/common';
import { fromBase64Url, keyedDigest, sameDigest } from '../security/keyed-digest.js';
import { SecretKeys } from '../security/secret-keys.js';

const TOKEN_PREFIX = 'bat_';
const LINK_LIFETIME_MS = 24 * 3_600_000;
const LINK_DIGEST_BYTES = 18;

/** A booking as far as its tokens are concerned. */
export interface TokenSubject {
  readonly id: string;
  readonly tokenVersion: number;
}

/**
 * Tokens that open one booking. They are keyed digests over booking id and token version: the same every time they are
 * made, so that a repeated answer is the same, and nothing about them is stored.
 */
@Injectable()
export class AccessTokens {
  constructor(private readonly keys: SecretKeys) {}

  async accessToken({ id, tokenVersion }: TokenSubject): Promise<string> {
    const digest = keyedDigest(await this.keys.key('access-token'), id, String(tokenVersion));
    return TOKEN_PREFIX + digest.toString('base64url');
  }

  async opens(token: string, subject: TokenSubject): Promise<boolean> {
    return sameDigest(Buffer.from(token), Buffer.from(await this.accessToken(subject)));
  }

  /** For the address of the confirmation page; is exchanged for a cookie and good for a day after `issuedAt`. */
  async linkToken(subject: TokenSubject, issuedAt: Date): Promise<string> {
    const expires = Math.floor((issuedAt.getTime() + LINK_LIFETIME_MS) / 1000);
    return `${expires.toString(36)}.${(await this.linkDigest(subject, expires)).toString('base64url')}`;
  }

  async linkOpens(token: string, subject: TokenSubject, now: Date): Promise<boolean> {
    const [, digits, digest] = /^([0-9a-z]{1,10})\.([\w-]{1,64})$/.exec(token) ?? [];
    const given = digest === undefined ? undefined : fromBase64Url(digest);
    const expires = Number.parseInt(digits ?? '', 36);
    if (!given || !(expires * 1000 > now.getTime())) return false;
    return sameDigest(given, await this.linkDigest(subject, expires));
  }

  private async linkDigest({ id, tokenVersion }: TokenSubject, expires: number): Promise<Buffer> {
    const digest = keyedDigest(await this.keys.key('page-link'), id, String(tokenVersion), String(expires));
    return digest.subarray(0, LINK_DIGEST_BYTES);
  }
}
