import QRCode from 'qrcode';
import { squaresPng } from './squares-png.js';

/** Modules of white around the code: what ISO/IEC 18004 asks for. */
const QUIET_ZONE = 4;

/** Dark modules of a QR code, without a quiet zone. */
export interface QrModules {
  readonly size: number;
  readonly isDark: (x: number, y: number) => boolean;
}

/** A link as a QR code; a seventh of it may be covered or torn (error correction M). */
export function qrModules(link: string): QrModules {
  const { modules } = QRCode.create(link, { errorCorrectionLevel: 'M' });
  return { size: modules.size, isDark: (x, y) => modules.get(y, x) !== 0 };
}

/** A link as a picture of a QR code, white quiet zone included; made for showing at half of its size or less. */
export function linkQrPng(link: string): Buffer {
  const { size, isDark } = qrModules(link);
  const inside = (at: number): boolean => at >= 0 && at < size;
  return squaresPng(size + 2 * QUIET_ZONE, (column, row) => {
    const [x, y] = [column - QUIET_ZONE, row - QUIET_ZONE];
    return inside(x) && inside(y) && isDark(x, y);
  });
}
