/** Injection tokens of what has no class of its own at run time. */
export const LOGGER = Symbol('logger');
export const PAYMENT_DEADLINE_MS = Symbol('payment deadline');
export const PERSONAL_DATA_DAYS = Symbol('retention of personal data');
export const IDEMPOTENCY_KEY_HOURS = Symbol('lifetime of idempotency keys');
