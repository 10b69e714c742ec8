import { BrokerUnavailableError } from 'ackline';

/** PostgreSQL's classes for a server that goes away or comes up: 08 connection, 57P shutdown and start. */
const AWAY = /^(E[A-Z]{3,}|08...|57P..)$/;

/** What a log line says of an error: of a neighbour that is away one sentence, of anything else all that is known. */
export function trouble(error: unknown): { readonly why: string } | { readonly err: unknown } {
  if (error instanceof Error) {
    const code: unknown = 'code' in error ? error.code : undefined;
    const away = error instanceof BrokerUnavailableError || (typeof code === 'string' && AWAY.test(code));
    if (away) return { why: error.message || String(code) };
  }
  return { err: error };
}
