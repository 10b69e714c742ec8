/**
 * A handler failed, and Nest's own exception filter has replaced what it threw. The message is delivered again; register
 * `QueueExceptionFilter` to see, and settle by, what was thrown.
 */
export class HiddenError extends Error {
  override readonly name = 'HiddenError';
  readonly code = 'handler_failed';
  constructor() {
    super('Nest’s own exception filter replaced what the handler threw: register QueueExceptionFilter.');
  }
}

/** Whether this is what `BaseRpcExceptionFilter` makes of an error that it does not know. */
export function isHidden(thrown: unknown): boolean {
  if (typeof thrown !== 'object' || thrown === null || thrown instanceof Error) return false;
  const { status, message } = thrown as { status?: unknown; message?: unknown };
  return status === 'error' && message === 'Internal server error';
}
