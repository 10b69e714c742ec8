import type { Logger } from '@eticket/service';
import type { QueueObserver } from 'ackline';

/** The queue's troubles as log lines, one for each step of a back-off. */
export function queueLog(logger: Logger): QueueObserver {
  return (event) => {
    if (event.type !== 'unavailable') return;
    const why = event.error instanceof Error ? event.error.message : String(event.error);
    logger.warn({ during: event.during, retryInMs: event.retryInMs, why }, 'the queue does not answer');
  };
}
