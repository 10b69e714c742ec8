import jsqr from 'jsqr';
import { PNG } from 'pngjs';
import { linkQrPng } from './link-qr.js';

// A CommonJS module that calls itself a default export.
const readQr = jsqr as unknown as typeof jsqr.default;

describe('The QR code of a link', () => {
  it.each([
    'http://127.0.0.1:3000/manage/K7XQ4S?from=mail',
    'https://ota.example/',
    `https://ota.example/manage/${'K7XQ4S'.repeat(40)}`,
    'https://bücher.example/ñ?q=日本',
  ])('is read from its picture: %s', (link) => {
    const { data, width, height } = PNG.sync.read(linkQrPng(link));
    expect(width).toBe(height);
    expect(readQr(new Uint8ClampedArray(data), width, height)?.data).toBe(link);
  });

  it('is small, and stands on white', () => {
    const picture = linkQrPng('http://127.0.0.1:3000/manage/K7XQ4S?from=mail');
    expect(picture.length).toBeLessThan(2_000);
    const { data, width } = PNG.sync.read(picture);
    const grey = (x: number, y: number) => data[(y * width + x) * 4];
    for (let at = 0; at < width; at += 1)
      expect([grey(at, 0), grey(0, at), grey(at, 31), grey(31, at)]).toEqual([255, 255, 255, 255]);
  });
});
