import { MAX_DELAY_MS } from '../message.js';
import { QueueError, RedeliverError, RejectError, StopTheLineError } from '../errors.js';

/** What a handler's failure asks for. */
export type Failure =
  | { readonly kind: 'redeliver'; readonly errorCode: string; readonly delayMs: number | undefined }
  | { readonly kind: 'reject'; readonly errorCode: string }
  | { readonly kind: 'stop-the-line'; readonly errorCode: string };

const CODE = /^[a-z0-9_.-]{1,64}$/;

/** Reads whatever a handler threw: anything that is not one of ours asks for redelivery. */
export function failureOf(thrown: unknown): Failure {
  if (thrown instanceof RejectError) return { kind: 'reject', errorCode: boundedCode(thrown.errorCode) };
  if (thrown instanceof StopTheLineError) return { kind: 'stop-the-line', errorCode: boundedCode(thrown.errorCode) };
  if (thrown instanceof RedeliverError) {
    return { kind: 'redeliver', errorCode: boundedCode(thrown.errorCode), delayMs: boundedDelay(thrown.delayMs) };
  }
  return { kind: 'redeliver', errorCode: codeOf(thrown), delayMs: undefined };
}

/** Within what a nack may name; no number at all leaves it to the backoff. */
function boundedDelay(delayMs: number | undefined): number | undefined {
  if (delayMs === undefined || Number.isNaN(delayMs)) return undefined;
  return Math.min(Math.max(delayMs, 0), MAX_DELAY_MS);
}

/** A code that may be stored and shown: never a message, which could hold personal data. */
function codeOf(thrown: unknown): string {
  if (thrown instanceof QueueError) return thrown.code;
  if (!(thrown instanceof Error)) return 'not_an_error';
  const { code } = thrown as { code?: unknown };
  return boundedCode(typeof code === 'string' ? code : thrown.name);
}

/** Lower-cased, anything outside `[a-z0-9_.-]` replaced, at most 64 characters. */
export function boundedCode(code: string): string {
  const bounded = code
    .toLowerCase()
    .replace(/[^a-z0-9_.-]/g, '_')
    .slice(0, 64);
  return CODE.test(bounded) ? bounded : 'unknown';
}
