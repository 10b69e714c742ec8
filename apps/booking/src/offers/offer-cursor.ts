import { invalidFields } from '../problems/problem.js';

/** Where a page of a search begins. */
export interface OfferCursor {
  /** When the first page was asked for: the search is repeated as of then, so that no offer is missed or told twice. */
  readonly searchedAt: Date;
  readonly offset: number;
}

/** As long as the offers of the first page are surely good. */
const LIFETIME_MS = 30 * 60_000;
const CURSOR = /^([0-9a-z]{8,9})\.(\d{1,3})$/;

export function writeCursor({ searchedAt, offset }: OfferCursor): string {
  return `${searchedAt.getTime().toString(36)}.${offset}`;
}

/** @throws ProblemError 422 for one that is none of ours, or too old. */
export function readCursor(text: string, now: Date): OfferCursor {
  const [, time = '', offset = ''] = CURSOR.exec(text) ?? [];
  const searchedAt = new Date(Number.parseInt(time, 36));
  const ageMs = now.getTime() - searchedAt.getTime();
  if (ageMs >= 0 && ageMs < LIFETIME_MS) return { searchedAt, offset: Number(offset) };
  const message = 'has to be the `after` of a page of the last half hour; please search again';
  throw invalidFields([{ pointer: '/after', code: 'invalid_cursor', message }]);
}
