import { createHmac, timingSafeEqual } from 'node:crypto';

/** HMAC-SHA-256. */
export function keyedDigest(key: Buffer, ...parts: readonly (string | Buffer)[]): Buffer {
  const hmac = createHmac('sha256', key);
  for (const part of parts) {
    // Lengths keep ("ab", "c") and ("a", "bc") apart.
    hmac.update(`${Buffer.byteLength(part)}:`).update(part);
  }
  return hmac.digest();
}

/** Compares without telling by its time where they differ. */
export function sameDigest(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Bytes of canonical base64url, or undefined: two spellings of one token would be two tokens. */
export function fromBase64Url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}
