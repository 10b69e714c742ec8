import { BrokerUnavailableError, QueueError } from '../../../errors.js';
import { accessTrouble, hintAtAccess } from './access-trouble.js';

/** What comes first on a connection. */
const OPENING = new Set(['ping', 'connect', 'join', 'publish']);

/** Kafka's name of a protocol error, e.g. `REBALANCE_IN_PROGRESS`; kafkajs's class name for its own. */
export function kafkaErrorType(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  const { type, name } = error as { type?: unknown; name?: unknown };
  if (typeof type === 'string') return type;
  return typeof name === 'string' ? name : 'Error';
}

/** kafkajs wraps the telling error in one or two of its own. */
export function rootCause(error: unknown): unknown {
  let cause = error;
  while (typeof cause === 'object' && cause !== null && 'cause' in cause && cause.cause) cause = cause.cause;
  return cause;
}

/** An error of this library's family: what it is already, or that the broker cannot now. */
export function asUnavailable(during: string, error: unknown): QueueError {
  if (error instanceof QueueError) return error;
  const cause = rootCause(error);
  const trouble = accessTrouble(cause);
  if (trouble !== undefined) return new BrokerUnavailableError(trouble, { cause: error });
  const why = error instanceof Error ? error.message : String(error);
  const hint = OPENING.has(during) ? hintAtAccess(cause) : '';
  return new BrokerUnavailableError(`Kafka is not available (${during}): ${why}${hint && `.${hint}`}`, {
    cause: error,
  });
}

/** Rejects when `work` has not ended in time: kafkajs leaves some calls open for ever. The late end goes unheard. */
export async function within<T>(deadlineMs: number, during: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new BrokerUnavailableError(`Kafka did not answer within ${Math.round(deadlineMs)} ms (${during}).`));
    }, deadlineMs);
  });
  work.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
