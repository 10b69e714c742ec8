import { pino, type DestinationStream } from 'pino';
import { pretty } from './pretty.js';
import { currentLogContext } from './log-context.js';
import { redactPersonalData, withoutPersonalData } from './personal-data.js';
import type { LogLevel } from '../environment/settings.js';

/** Writes lines. It has no children: what they are bound to would be logged as it is. `withLogContext` does that work. */
export type Logger = Pick<pino.Logger, 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'level'>;

export interface LoggerOptions {
  /** Stands in each line as `service`. */
  readonly service: string;
  readonly level: LogLevel;
  /** Where the lines go; standard output when left out. */
  readonly destination?: DestinationStream;
}

/**
 * A pino logger: JSON lines, on a terminal readable ones. Lines carry the {@link currentLogContext} (request id, event
 * id) and no personal data: known keys are redacted, addresses are cut out of texts, and of errors only type, code,
 * message and stack are kept.
 */
export function createLogger(options: LoggerOptions): Logger {
  return pino(
    {
      level: options.level,
      base: { service: options.service, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: redactPersonalData },
      // They are serialized where personal data is left out.
      serializers: { err: (serialized: unknown) => serialized },
      mixin: () => ({ ...currentLogContext() }),
      hooks: { streamWrite: withoutPersonalData },
    },
    // Synchronous: nothing that was logged is lost when the process exits.
    options.destination ?? (process.stdout.isTTY ? pretty() : pino.destination({ dest: 1, sync: true })),
  );
}
