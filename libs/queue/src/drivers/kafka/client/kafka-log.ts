import { logLevel } from './kafkajs.js';
import type { logCreator } from 'kafkajs';

/** Where the driver's log lines go; none holds payloads, keys or headers. */
export type KafkaLogger = (line: KafkaLogLine) => void;

/** A line that the Kafka client wants logged. */
export interface KafkaLogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly context?: Readonly<Record<string, unknown>>;
}

/**
 * kafkajs's own lines, all as debug: it logs as errors what this driver tries again as planned; what matters to an
 * operator the driver says itself.
 */
export function kafkajsLog(logger: KafkaLogger): logCreator {
  return () =>
    ({ namespace, log }) => {
      logger({
        level: 'debug',
        message: `kafkajs ${namespace}: ${log.message}`,
        context: typeof log['error'] === 'string' ? { error: log['error'] } : {},
      });
    };
}

export const KAFKAJS_LEVEL = logLevel.WARN;
