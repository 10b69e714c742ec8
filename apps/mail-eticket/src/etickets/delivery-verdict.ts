import { RedeliverError, RejectError, StopTheLineError } from 'ackline';
import type { QueueError } from 'ackline';
import type { Ending } from '../send-record/send-record.repository.js';
import type { SendOutcome } from '../sending/smtp-outcome.js';

/** What a sending's outcome means for the send record and for the queue. */
export interface DeliveryVerdict {
  readonly ending: Ending;
  /** Thrown to the queue; undefined acknowledges. */
  readonly error: QueueError | undefined;
  /** Whether anything was decided that the booking should hear of. */
  readonly announce: boolean;
}

export interface DeliveryFacts {
  readonly deliveryCount: number;
  readonly maxDeliveries: number;
  /** Earlier sendings of which the outcome is not known. */
  readonly unknownOutcomes: number;
  /** The delivery was taken away from this worker: it is closing, or too slow. */
  readonly interrupted: boolean;
  /** Milliseconds until the next delivery, should there be one. */
  readonly nextTryInMs: number;
}

/** Three ways to go on after a failure: deliver again, dead-letter, stop the line. */
export function deliveryVerdict(outcome: SendOutcome, facts: DeliveryFacts): DeliveryVerdict {
  if (outcome.kind === 'sent') {
    return { ending: { state: 'sent', relayId: outcome.relayId }, error: undefined, announce: true };
  }
  if (outcome.kind === 'unknown') return afterUnknownOutcome(outcome, facts);
  if (facts.interrupted) {
    return {
      ending: { state: 'pending', reason: 'interrupted' },
      error: new RedeliverError('interrupted', 0),
      announce: false,
    };
  }
  if (outcome.kind === 'stop-the-line') {
    return {
      ending: { state: 'pending', reason: outcome.code },
      error: new StopTheLineError(outcome.code),
      announce: true,
    };
  }
  if (outcome.kind === 'refused') return givenUp(outcome.code, new RejectError(outcome.code));
  if (facts.deliveryCount >= (outcome.atMost ?? Infinity)) return givenUp(outcome.code, new RejectError(outcome.code));
  const error = new RedeliverError(outcome.code, facts.nextTryInMs);
  // The queue turns the last delivery into a dead letter, and says in it that the deliveries were used up.
  if (facts.deliveryCount >= facts.maxDeliveries) return givenUp(outcome.code, error);
  return {
    ending: { state: 'pending', reason: outcome.code, nextTryInMs: facts.nextTryInMs },
    error,
    announce: true,
  };
}

/** Sent again, under the same Message-ID, but not for ever: each time the traveller may get one more. */
function afterUnknownOutcome(
  outcome: SendOutcome & { readonly kind: 'unknown' },
  facts: DeliveryFacts,
): DeliveryVerdict {
  const hopeless = facts.unknownOutcomes + 1 >= outcome.atMost || facts.deliveryCount >= facts.maxDeliveries;
  if (hopeless) {
    return {
      ending: { state: 'failed', reason: outcome.code, outcomeUnknown: true },
      error: new RejectError(outcome.code),
      announce: true,
    };
  }
  return {
    ending: { state: 'unknown', reason: outcome.code, nextTryInMs: facts.nextTryInMs },
    error: new RedeliverError(outcome.code, facts.nextTryInMs),
    announce: true,
  };
}

function givenUp(reason: string, error: QueueError): DeliveryVerdict {
  return { ending: { state: 'failed', reason }, error, announce: true };
}
