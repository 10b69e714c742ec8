/** The part of a list that a request asks for. */
export interface Range {
  readonly start: number;
  readonly limit: number;
}

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 250;

/** `start` and `limit` as MailHog reads them: what is no positive number counts as not given. */
export function readRange(start: unknown, limit: unknown): Range {
  return {
    start: positive(start) ?? 0,
    limit: Math.min(positive(limit) ?? DEFAULT_LIMIT, MAX_LIMIT),
  };
}

function positive(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : 0;
  return number > 0 ? number : undefined;
}
