import { ProblemError } from '../problems/problem.js';

const LONGEST_KEY = 255;
/** A Structured Field string (RFC 9651 3.3.3), as draft-ietf-httpapi-idempotency-key-header wants it … */
const QUOTED = /^"((?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;
/** … or the bare value, as most clients send it. */
const BARE = /^[\x21-\x7e]+$/;

/** The key of an `Idempotency-Key` header, `"k"` and `k` being the same. @throws ProblemError 400. */
export function readIdempotencyKey(header: string | readonly string[] | undefined): string {
  const value = typeof header === 'string' ? header.trim() : undefined;
  if (value === undefined || value === '') {
    throw new ProblemError(
      'idempotency_key_missing',
      'Send an Idempotency-Key header, for example a UUID: a repeated request with the same key is carried out once.',
    );
  }
  const quoted = QUOTED.exec(value)?.[1]?.replace(/\\(["\\])/g, '$1');
  const key = quoted ?? (BARE.test(value) ? value : '');
  if (key === '' || key.length > LONGEST_KEY) {
    throw new ProblemError(
      'idempotency_key_missing',
      `The Idempotency-Key has to be 1 to ${LONGEST_KEY} printable ASCII characters, for example a UUID.`,
    );
  }
  return key;
}
