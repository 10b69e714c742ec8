/** Of pino's logger, for injection. */
export const LOGGER = Symbol('logger');
