import { JAVA_FRAMES } from '../testing/java-frames.js';
import { decompressLz4 } from './lz4.js';
import { compressSnappy, decompressSnappy } from './snappy.js';
import { saysUnreadable, unreadable } from './unreadable-batch-error.js';
import { decompressZstd } from './zstd.js';

const text = (count: number): Buffer => Buffer.from('a message, and another message. '.repeat(count));

const DECOMPRESS = { snappy: decompressSnappy, lz4: decompressLz4, zstd: decompressZstd } as const;
const CODECS = Object.keys(DECOMPRESS) as (keyof typeof DECOMPRESS)[];
const frameOf = (codec: keyof typeof DECOMPRESS): Buffer => Buffer.from(JAVA_FRAMES[codec], 'base64');

describe('compressed batches', () => {
  it.each(CODECS)('%s: what Java wrote is read', (codec) => {
    expect(DECOMPRESS[codec](frameOf(codec)).equals(text(2_100))).toBe(true);
  });

  it.each([0, 1, 31, 32 * 1024, 32 * 1024 + 1, 600_000])('Snappy: what is written comes back, %i bytes', (count) => {
    const bytes = Buffer.from(Array.from({ length: count }, (_, index) => (index * index) % 251));
    expect(decompressSnappy(compressSnappy(bytes)).equals(bytes)).toBe(true);
  });

  it('Snappy without framing is read, as librdkafka writes it', () => {
    const framed = compressSnappy(text(10));
    expect(decompressSnappy(framed.subarray(20)).equals(text(10))).toBe(true);
  });

  it.each(CODECS)('%s: bytes cut off anywhere are refused', (codec) => {
    const frame = frameOf(codec);
    for (let end = 0; end < frame.length - 1; end += 1 + Math.floor(end / 20)) {
      const read = (): Buffer => DECOMPRESS[codec](frame.subarray(0, end));
      // A frame of whole blocks is good also where its last ones are missing.
      if (codec === 'snappy' && end <= 16 && end >= 8) continue;
      let outcome: unknown;
      try {
        outcome = read().length < text(2_100).length;
      } catch (error) {
        outcome = saysUnreadable(error);
      }
      expect([codec, end, outcome]).toEqual([codec, end, true]);
    }
  });

  it.each(CODECS)('%s: whatever byte is broken, the answer is bytes or a refusal, at once', (codec) => {
    const frame = frameOf(codec);
    for (let at = 0; at < frame.length; at++) {
      const broken = Buffer.from(frame);
      broken[at] = broken[at]! ^ (1 + ((at * 7) % 255));
      try {
        DECOMPRESS[codec](broken);
      } catch (error) {
        expect([codec, at, saysUnreadable(error)]).toEqual([codec, at, true]);
      }
    }
  });

  it('a few bytes that claim to be gigabytes are refused without taking the memory', () => {
    const huge = Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f, 0x00]);
    expect(() => decompressSnappy(huge)).toThrow('more than 134217728 bytes');
    expect(() => decompressSnappy(Buffer.from('no snappy'))).toThrow('snappy');
    expect(() => decompressLz4(Buffer.from('no lz4 at all'))).toThrow('lz4: no frame');
    expect(() => decompressZstd(Buffer.from('no zstd at all'))).toThrow('zstd: no frame');
  });

  it('broken gzip is told by what Node says of it', () => {
    const error = Object.assign(new Error('incorrect header check'), { code: 'Z_DATA_ERROR' });
    expect(saysUnreadable(error)).toBe(true);
    expect(unreadable(error).message).toContain('incorrect header check');
    expect(saysUnreadable(new Error('Connection timeout'))).toBe(false);
  });
});
