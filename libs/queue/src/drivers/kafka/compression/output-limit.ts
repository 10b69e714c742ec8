import { UnreadableBatchError } from './unreadable-batch-error.js';

/**
 * What a batch may take decompressed. Brokers limit the compressed size only, to about 1 MB: this is a hundred times as
 * much, and keeps a few bytes that claim to be gigabytes from taking the worker's memory.
 */
export const MAX_DECOMPRESSED_BYTES = 128 * 1024 * 1024;

export function tooLarge(codec: string): UnreadableBatchError {
  return new UnreadableBatchError(`${codec}: a batch of more than ${MAX_DECOMPRESSED_BYTES} bytes when decompressed.`);
}
