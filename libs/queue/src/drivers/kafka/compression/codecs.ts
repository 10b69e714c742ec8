import type { CompressionTypes as CompressionType } from 'kafkajs';
import { CompressionCodecs, CompressionTypes } from '../client/kafkajs.js';
import { decompressLz4 } from './lz4.js';
import { compressSnappy, decompressSnappy } from './snappy.js';
import { decompressZstd } from './zstd.js';

/** How a driver compresses what it publishes. It reads all of Kafka's codecs, whatever this says. */
export const COMPRESSIONS = ['none', 'gzip', 'snappy'] as const;
/** How published records are compressed. */
export type Compression = (typeof COMPRESSIONS)[number];

/** As kafkajs calls it: with what it encodes into, and with the bytes of a batch's records. */
interface Codec {
  compress(encoder: { readonly buffer: Buffer }): Promise<Buffer>;
  decompress(bytes: Buffer): Promise<Buffer>;
}

const CODECS: readonly (readonly [type: CompressionType, codec: Codec])[] = [
  [CompressionTypes.Snappy, codecOf(decompressSnappy, compressSnappy)],
  [CompressionTypes.LZ4, codecOf(decompressLz4)],
  [CompressionTypes.ZSTD, codecOf(decompressZstd)],
];

/** kafkajs's number of a codec. */
export function compressionType(compression: Compression): CompressionType {
  if (compression === 'gzip') return CompressionTypes.GZIP;
  return compression === 'snappy' ? CompressionTypes.Snappy : CompressionTypes.None;
}

/**
 * Gives kafkajs the codecs that it has names for but no code. They are global to kafkajs: one that the program has
 * registered itself stays.
 */
export function registerCodecs(): void {
  const codecs = CompressionCodecs as Record<number, () => unknown>;
  for (const [type, codec] of CODECS) if (!isRegistered(codecs[type])) codecs[type] = () => codec;
}

function isRegistered(make: (() => unknown) | undefined): boolean {
  try {
    return make !== undefined && Boolean(make());
  } catch {
    // "not implemented"
    return false;
  }
}

// eslint-disable-next-line @typescript-eslint/require-await -- what throws has to reject
const rejecting = async (run: () => Buffer): Promise<Buffer> => run();

function codecOf(decompress: (bytes: Buffer) => Buffer, compress?: (bytes: Buffer) => Buffer): Codec {
  return {
    compress: ({ buffer }) =>
      rejecting(() => {
        if (!compress) throw new Error('this codec is only read.');
        return compress(buffer);
      }),
    decompress: (bytes) => rejecting(() => decompress(bytes)),
  };
}
