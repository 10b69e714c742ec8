/** Node's errors for a server that cannot be reached. */
const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/**
 * SQLSTATEs of a server that cannot serve now: class 08 connection exceptions, 53 out of resources, 57P01–57P05 and
 * 57014 shutting down, starting, or over the statement timeout, 25006 a standby, 3D000 its database not made yet.
 */
const SQL_STATE = /^(08...|53...|57P0[1-5]|57014|25006|3D000)$/;

/** pg gives these without a code (pg 8.23, lib/client.js and pg-pool/index.js). */
const PG_MESSAGES =
  /Connection terminated|timeout exceeded when trying to connect|Query read timeout|not queryable|Client was closed|Cannot use a pool after calling end/;

/** Whether an error says that the database cannot be reached or cannot serve at the moment. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { readonly code?: unknown };
  if (typeof code === 'string' && (NETWORK_CODES.has(code) || SQL_STATE.test(code))) return true;
  if (PG_MESSAGES.test(error.message)) return true;
  if (error instanceof AggregateError && error.errors.some(isDatabaseAway)) return true;
  return isDatabaseAway(error.cause);
}
