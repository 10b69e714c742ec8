import { AsyncLocalStorage } from 'node:async_hooks';

/** What every log line of one piece of work carries. Ids and codes only, nothing personal. */
export interface LogContext {
  readonly requestId?: string;
  /** W3C trace id: the same in every service that works on what one request began. */
  readonly traceId?: string | undefined;
  readonly eventId?: string;
  readonly bookingId?: string;
  readonly [field: string]: string | number | undefined;
}

const storage = new AsyncLocalStorage<LogContext>();

/** Runs `work` so that each line it logs, however deep, carries `context` besides what it carried before. */
export function withLogContext<T>(context: LogContext, work: () => T): T {
  return storage.run({ ...storage.getStore(), ...context }, work);
}

/** The context of the work that calls. */
export function currentLogContext(): LogContext {
  return storage.getStore() ?? {};
}
