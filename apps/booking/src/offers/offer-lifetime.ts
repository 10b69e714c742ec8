const WINDOW_MS = 5 * 60_000;
const LIFETIME_MS = 30 * 60_000;

/**
 * Offers are made in windows of five minutes, so that the same search twice in a row gives the very same offers, ids
 * and all; each is good for at least thirty minutes.
 */
export function offerWindow(now: Date): Date {
  return new Date(Math.floor(now.getTime() / WINDOW_MS) * WINDOW_MS);
}

/** 30 to 35 minutes after the search. */
export function offerExpiry(madeAt: Date): Date {
  return new Date(madeAt.getTime() + WINDOW_MS + LIFETIME_MS);
}

/** Nothing is sold that leaves sooner than this: check-in is about to close. */
export const SALES_CLOSE_MS = 60 * 60_000;
