import { Decompress } from 'fzstd';
import { MAX_DECOMPRESSED_BYTES, tooLarge } from './output-limit.js';
import { UnreadableBatchError } from './unreadable-batch-error.js';

const MAGIC = 0xfd2fb528;

/** A Zstandard frame or several. @throws UnreadableBatchError. */
export function decompressZstd(bytes: Buffer): Buffer {
  if (bytes.length < 4 || bytes.readUInt32LE(0) !== MAGIC) {
    throw new UnreadableBatchError('zstd: no frame where one should begin.');
  }
  const parts: Uint8Array[] = [];
  let total = 0;
  try {
    const stream = new Decompress((part) => {
      total += part.length;
      if (total > MAX_DECOMPRESSED_BYTES) throw tooLarge('zstd');
      parts.push(part);
    });
    stream.push(bytes, true);
  } catch (error) {
    if (error instanceof UnreadableBatchError) throw error;
    throw new UnreadableBatchError('zstd: a broken frame.', { cause: error });
  }
  return Buffer.concat(parts);
}
