import { compress, uncompress } from 'snappyjs';
import { MAX_DECOMPRESSED_BYTES, tooLarge } from './output-limit.js';
import { UnreadableBatchError } from './unreadable-batch-error.js';

/**
 * The framing of snappy-java, which Kafka's Java clients write: these eight bytes, two version numbers, then blocks with
 * their length before each. Other producers write one block without any of it.
 */
const MAGIC = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00]);
const HEADER = Buffer.concat([MAGIC, Buffer.from([0, 0, 0, 1, 0, 0, 0, 1])]);
const BLOCK_BYTES = 32 * 1024;

/** Written as the Java clients do it: everything that reads Kafka reads that. */
export function compressSnappy(bytes: Buffer): Buffer {
  const parts: Uint8Array[] = [HEADER];
  for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
    const block = compress(bytes.subarray(at, at + BLOCK_BYTES));
    const length = Buffer.alloc(4);
    length.writeUInt32BE(block.length);
    parts.push(length, block);
  }
  return Buffer.concat(parts);
}

/** With and without framing. @throws UnreadableBatchError. */
export function decompressSnappy(bytes: Buffer): Buffer {
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) return blockOf(bytes, MAX_DECOMPRESSED_BYTES);
  const blocks: Buffer[] = [];
  let total = 0;
  for (let at = HEADER.length; at < bytes.length;) {
    const length = at + 4 <= bytes.length ? bytes.readUInt32BE(at) : Number.POSITIVE_INFINITY;
    at += 4;
    if (at + length > bytes.length) throw new UnreadableBatchError('snappy: a block that ends too early.');
    const block = blockOf(bytes.subarray(at, at + length), MAX_DECOMPRESSED_BYTES - total);
    blocks.push(block);
    total += block.length;
    at += length;
  }
  return Buffer.concat(blocks);
}

function blockOf(bytes: Buffer, maxBytes: number): Buffer {
  let length = 0;
  // The size that the block claims stands at its beginning, seven bits a byte.
  for (let at = 0; at < Math.min(5, bytes.length); at++) {
    length += (bytes[at]! & 0x7f) * 2 ** (7 * at);
    if (bytes[at]! < 0x80) break;
  }
  if (length > maxBytes) throw tooLarge('snappy');
  try {
    return uncompress(bytes);
  } catch (error) {
    throw new UnreadableBatchError('snappy: a broken block.', { cause: error });
  }
}
