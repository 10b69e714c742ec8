import { createHash, randomBytes } from 'node:crypto';

const PREFIX = 'crt_';
const FORM = /^crt_[\w-]{43}$/;

// #region room-token
/** A new token, and the session that it proves: the session stands on the topic for everyone, the token nowhere. */
export function newRoomToken(): { readonly token: string; readonly session: string } {
  const token = PREFIX + randomBytes(32).toString('base64url');
  return { token, session: sessionOf(token) };
}

/** SHA-256 is enough: 256 random bits cannot be guessed, so nothing has to make guessing slow. */
function sessionOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
// #endregion

/** The session of an `Authorization: Bearer …` header; undefined when it holds no token of this form. */
export function sessionOfHeader(authorization: string | undefined): string | undefined {
  const token = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
  return token !== undefined && FORM.test(token) ? sessionOf(token) : undefined;
}
