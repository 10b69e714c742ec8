import { MAX_DECOMPRESSED_BYTES, tooLarge } from './output-limit.js';
import { UnreadableBatchError } from './unreadable-batch-error.js';

const MAGIC = 0x184d2204;
const SKIPPABLE = 0x184d2a50;
const UNCOMPRESSED = 0x80000000;
const BLOCK_BYTES: Readonly<Record<number, number>> = {
  4: 64 * 1024,
  5: 256 * 1024,
  6: 1024 * 1024,
  7: 4 * 1024 * 1024,
};
const MIN_MATCH = 4;

/**
 * LZ4 frames, with blocks that stand alone or refer to those before. Written here because the packages that exist take
 * broken bytes for good ones, or memory without bound.
 * Checksums are passed over: early Kafka clients computed the header's wrongly, and brokers check the whole batch.
 * @throws UnreadableBatchError.
 */
export function decompressLz4(bytes: Buffer): Buffer {
  const out = new Output();
  let at = 0;
  do {
    need(bytes, at, 4);
    const magic = bytes.readUInt32LE(at);
    if (magic === MAGIC) at = readFrame(bytes, at + 4, out);
    else if (magic >>> 4 === SKIPPABLE >>> 4) {
      need(bytes, at, 8);
      at += 8 + bytes.readUInt32LE(at + 4);
    } else throw new UnreadableBatchError('lz4: no frame where one should begin.');
  } while (at < bytes.length);
  return out.bytes();
}

function readFrame(bytes: Buffer, start: number, out: Output): number {
  need(bytes, start, 3);
  const flags = bytes[start]!;
  const blockBytes = BLOCK_BYTES[(bytes[start + 1]! >> 4) & 7];
  if (flags >> 6 !== 1 || blockBytes === undefined) throw new UnreadableBatchError('lz4: an unknown kind of frame.');
  const [hasBlockChecksum, hasSize, hasChecksum, hasDictionary] = [16, 8, 4, 1].map((bit) => (flags & bit) !== 0);
  if (hasDictionary) throw new UnreadableBatchError('lz4: a frame with a dictionary.');
  const isIndependent = (flags & 32) !== 0;
  let at = start + 3 + (hasSize ? 8 : 0);
  const frameStart = out.length;
  for (;;) {
    need(bytes, at, 4);
    const head = bytes.readUInt32LE(at);
    at += 4;
    if (head === 0) break;
    const size = head & ~UNCOMPRESSED;
    need(bytes, at, size);
    const block = bytes.subarray(at, at + size);
    const from = isIndependent ? out.length : frameStart;
    if (head >= UNCOMPRESSED) out.append(block, 0, size);
    else readBlock(block, out, from, blockBytes);
    at += size + (hasBlockChecksum ? 4 : 0);
  }
  return at + (hasChecksum ? 4 : 0);
}

/** @param from what copies may go back to */
function readBlock(block: Buffer, out: Output, from: number, maxBytes: number): void {
  const end = out.length + maxBytes;
  for (let at = 0; at < block.length;) {
    const token = block[at++]!;
    let literals = token >> 4;
    if (literals === 15) [literals, at] = readLength(block, at, literals);
    need(block, at, literals);
    if (out.length + literals > end) throw new UnreadableBatchError('lz4: a block that is larger than it may be.');
    out.append(block, at, literals);
    at += literals;
    // The last sequence of a block has no match.
    if (at === block.length) return;
    need(block, at, 2);
    const distance = block.readUInt16LE(at);
    at += 2;
    let match = token & 15;
    if (match === 15) [match, at] = readLength(block, at, match);
    match += MIN_MATCH;
    if (distance === 0 || distance > out.length - from || out.length + match > end) {
      throw new UnreadableBatchError('lz4: a copy from outside of its block.');
    }
    out.copy(distance, match);
  }
  throw new UnreadableBatchError('lz4: a block that ends too early.');
}

function readLength(block: Buffer, start: number, first: number): [length: number, at: number] {
  let length = first;
  for (let at = start; ; at++) {
    need(block, at, 1);
    const more = block[at]!;
    length += more;
    if (more < 255) return [length, at + 1];
  }
}

function need(bytes: Buffer, at: number, count: number): void {
  if (at + count > bytes.length) throw new UnreadableBatchError('lz4: a frame that ends too early.');
}

/** Grows as it is written; copies may overlap what they write. */
class Output {
  #bytes = Buffer.allocUnsafe(64 * 1024);
  length = 0;

  append(from: Buffer, at: number, count: number): void {
    this.#reserve(count);
    // Most stretches are a few bytes: a call costs more than the loop.
    if (count < 32) for (let index = 0; index < count; index++) this.#bytes[this.length + index] = from[at + index]!;
    else from.copy(this.#bytes, this.length, at, at + count);
    this.length += count;
  }

  copy(distance: number, count: number): void {
    this.#reserve(count);
    const start = this.length - distance;
    if (distance >= count && count >= 32) this.#bytes.copyWithin(this.length, start, start + count);
    else for (let index = 0; index < count; index++) this.#bytes[this.length + index] = this.#bytes[start + index]!;
    this.length += count;
  }

  bytes(): Buffer {
    return this.#bytes.subarray(0, this.length);
  }

  #reserve(count: number): void {
    const needed = this.length + count;
    if (needed <= this.#bytes.length) return;
    if (needed > MAX_DECOMPRESSED_BYTES) throw tooLarge('lz4');
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.length);
    this.#bytes = larger;
  }
}
