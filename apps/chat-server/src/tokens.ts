/** How often clients are asked to be heard of, in milliseconds. */
export const HEARTBEAT_MS = Symbol('HEARTBEAT_MS');
