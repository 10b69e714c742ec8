import { crc32, deflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Greyscale of one bit a pixel, filter and interlacing of the only and simplest kind (W3C PNG §11.2.1). */
const ONE_BIT_GREYSCALE = [1, 0, 0, 0, 0];
const NO_FILTER = 0;
/** Of a line that holds the differences to the one above it: none here, which compresses three times as fast. */
const UP = 2;

/** A square is as wide as a byte has bits. */
const PIXELS_A_SQUARE = 8;

/**
 * A picture of `count` by `count` black and white squares, eight pixels wide each. The picture writers at hand take 32
 * bits a pixel, and ten times as long for a QR code as to compute it.
 */
export function squaresPng(count: number, isBlack: (x: number, y: number) => boolean): Buffer {
  const size = count * PIXELS_A_SQUARE;
  const rows: Buffer[] = [];
  const sameAsAbove = Buffer.alloc(1 + count);
  sameAsAbove.writeUInt8(UP, 0);
  for (let y = 0; y < count; y += 1) {
    const row = Buffer.alloc(1 + count, 0xff);
    row.writeUInt8(NO_FILTER, 0);
    for (let x = 0; x < count; x += 1) if (isBlack(x, y)) row.writeUInt8(0, 1 + x);
    rows.push(row);
    for (let line = 1; line < PIXELS_A_SQUARE; line += 1) rows.push(sameAsAbove);
  }
  const header = Buffer.alloc(8);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', Buffer.concat([header, Buffer.from(ONE_BIT_GREYSCALE)])),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
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
