import { pino, type DestinationStream, type Logger } from 'pino';
import { pretty } from './pretty.js';
import { currentLogContext } from './log-context.js';
import { REDACTED_PATHS, withoutPersonalData } from './personal-data.js';
import { serializeError } from './serialize-error.js';
import type { LogLevel } from '../environment/settings.js';

export type { Logger };

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
      formatters: { level: (label) => ({ level: label }) },
      mixin: () => ({ ...currentLogContext() }),
      redact: { paths: [...REDACTED_PATHS], censor: '[redacted]' },
      serializers: { err: serializeError, error: serializeError },
      hooks: { streamWrite: withoutPersonalData },
    },
    // Synchronous: nothing that was logged is lost when the process exits.
    options.destination ?? (process.stdout.isTTY ? pretty() : pino.destination({ dest: 1, sync: true })),
  );
}
