import { crc32, deflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Greyscale of one bit a pixel, filter and interlacing of the only and simplest kind (W3C PNG §11.2.1). */
const ONE_BIT_GREYSCALE = [1, 0, 0, 0, 0];

/**
 * A square picture of black and white pixels. The picture writers at hand take 32 bits a pixel, and ten times as long
 * for a QR code as to compute it.
 */
export function bilevelPng(size: number, isBlack: (x: number, y: number) => boolean): Buffer {
  const bytesARow = 1 + Math.ceil(size / 8);
  const rows = Buffer.alloc(bytesARow * size);
  for (let y = 0; y < size; y += 1) {
    for (let x = 0; x < size; x += 1) {
      if (isBlack(x, y)) continue;
      const at = y * bytesARow + 1 + (x >> 3);
      rows.writeUInt8(rows.readUInt8(at) | (0x80 >> (x & 7)), at);
    }
  }
  const header = Buffer.alloc(8);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', Buffer.concat([header, Buffer.from(ONE_BIT_GREYSCALE)])),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, sum]);
}
