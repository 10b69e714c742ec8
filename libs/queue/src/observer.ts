import type { DeadLetterReason } from './queue-driver.js';

/** What the engine tells of its work, for metrics and logs. Holds ids and codes, never payloads or keys. */
export type QueueEvent =
  | { readonly type: 'published'; readonly queue: string; readonly count: number }
  | {
      readonly type: 'delivered';
      readonly queue: string;
      readonly group: string;
      readonly messageId: string;
      readonly deliveryCount: number;
    }
  | {
      readonly type: 'acked';
      readonly queue: string;
      readonly group: string;
      readonly messageId: string;
      /** From the delivery to the durable settlement. */
      readonly durationMs: number;
    }
  | {
      readonly type: 'nacked';
      readonly queue: string;
      readonly group: string;
      readonly messageId: string;
      readonly deliveryCount: number;
      readonly errorCode: string;
      readonly delayMs: number;
      /** What the handler threw, if it threw. May hold personal data: log it with care. */
      readonly error?: unknown;
    }
  | {
      readonly type: 'dead-lettered';
      readonly queue: string;
      readonly group: string;
      readonly messageId: string;
      readonly deliveryCount: number;
      readonly errorCode: string;
      readonly reason: DeadLetterReason;
      readonly error?: unknown;
    }
  | {
      readonly type: 'released';
      readonly queue: string;
      readonly group: string;
      readonly messageId: string;
      readonly errorCode: string;
    }
  | { readonly type: 'lease-lost'; readonly queue: string; readonly group: string; readonly messageId: string }
  | {
      readonly type: 'line-stopped';
      readonly queue: string;
      readonly group: string;
      readonly errorCode: string;
      /** Milliseconds until one message is tried again. */
      readonly probeInMs: number;
    }
  | {
      /** An operator acted on dead letters: told once an act, after it; each letter's record is in `DeadLetters.audit`. */
      readonly type: 'dead-letters-redriven' | 'dead-letters-discarded';
      readonly queue: string;
      readonly group: string;
      readonly actor: string;
      readonly count: number;
    }
  | { readonly type: 'line-resumed'; readonly queue: string; readonly group: string }
  | {
      /** The store did not answer; the engine tries again after `retryInMs`. */
      readonly type: 'unavailable';
      readonly queue: string;
      readonly group?: string;
      readonly during: 'join' | 'take' | 'settle' | 'release' | 'tail';
      readonly retryInMs: number;
      readonly error: unknown;
    }
  | {
      /** An ephemeral consumer's handler failed; the message is passed over. */
      readonly type: 'tail-handler-failed';
      readonly queue: string;
      readonly messageId: string;
      readonly error: unknown;
    };

/** Must return fast: it is called in the engine's way. What it throws changes nothing; the process is warned once. */
export type QueueObserver = (event: QueueEvent) => void;

/** An observer that does not throw. */
export function guarded(observer: QueueObserver): QueueObserver {
  let warned = false;
  return (event) => {
    try {
      observer(event);
    } catch (error) {
      if (warned) return;
      warned = true;
      process.emitWarning(`ackline: the observer threw at '${event.type}': ${String(error)}`, 'AcklineObserverWarning');
    }
  };
}
