import { BrokerUnavailableError } from '../../../errors.js';

/**
 * A batch on the topic whose bytes make no sense. Trying again does not help, so it is told, not hidden: it stays where
 * it is until it expires, or until someone deletes the records up to the next batch.
 */
export class UnreadableBatchError extends BrokerUnavailableError {}

/** What kafkajs and Node's decompression and buffers say of broken bytes. */
const SIGNS = /^(Z_.*|ERR_OUT_OF_RANGE|ERR_BUFFER_OUT_OF_BOUNDS|KafkaJSInvalid(VarInt|Long)Error)$/;

export function saysUnreadable(error: unknown): boolean {
  if (error instanceof UnreadableBatchError) return true;
  const { code, name } = (error ?? {}) as { readonly code?: unknown; readonly name?: unknown };
  return SIGNS.test(String(code)) || SIGNS.test(String(name));
}

export function unreadable(error: unknown): UnreadableBatchError {
  if (error instanceof UnreadableBatchError) return error;
  const why = error instanceof Error ? error.message : String(error);
  return new UnreadableBatchError(`its bytes are broken (${why}).`, { cause: error });
}
