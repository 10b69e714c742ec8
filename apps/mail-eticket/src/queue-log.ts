import type { Logger } from '@eticket/service';
import type { QueueObserver } from 'ackline';
import { trouble } from './log-trouble.js';
import { operatorAdvice } from './etickets/operator-advice.js';

/** The queue's own troubles as log lines, one for each step of a back-off. Planned redeliveries are no errors. */
export function queueLog(logger: Logger): QueueObserver {
  return (event) => {
    switch (event.type) {
      case 'line-stopped': {
        const { errorCode, probeInMs } = event;
        return logger.error(
          { errorCode, probeInMs, advice: operatorAdvice(errorCode) },
          'the line is stopped: no mail is sent',
        );
      }
      case 'line-resumed':
        return logger.info('the line runs again');
      case 'unavailable':
        return logger.warn(
          { during: event.during, retryInMs: event.retryInMs, ...trouble(event.error) },
          'the queue does not answer',
        );
      case 'lease-lost':
        return logger.warn({ messageId: event.messageId }, 'a delivery is another worker’s by now');
      case 'dead-lettered': {
        const { messageId, errorCode, reason, deliveryCount } = event;
        return logger.warn(
          { messageId, errorCode, reason, deliveryCount, why: whyInvalid(event.error) },
          'an event became a dead letter',
        );
      }
      case 'dead-letters-redriven':
      case 'dead-letters-discarded':
      case 'published':
      case 'delivered':
      case 'acked':
      case 'nacked':
      case 'released':
      case 'tail-handler-failed':
        return undefined;
    }
  };
}

/** Which fields of an event were wrong, by their rules: the validation pipe names no values. */
function whyInvalid(error: unknown): string | undefined {
  return error instanceof Error && error.cause instanceof TypeError ? error.cause.message : undefined;
}
