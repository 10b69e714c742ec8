import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PNG } from 'pngjs';
import type { PreviewChoice } from './preview-mails.js';

const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const WIDTHS = { desktop: 800, phone: 390 } as const;
/** No window of Chromium is narrower: what is, is shown in a frame and cut out. */
const LEAST_WINDOW = 500;
/** Taller than any mail; what is empty is cut off. */
const HEIGHT = 9_000;
/** Blink's own setting for prefers-color-scheme: 0 is dark, 1 is light. */
const SCHEMES = { light: 1, dark: 0 } as const;

/** The browser that pictures are taken with: `CHROMIUM`, or one where Linux has it; undefined where there is none. */
export function findBrowser(env: NodeJS.ProcessEnv = process.env): string | undefined {
  return [env.CHROMIUM ?? '', ...BROWSERS].find((path) => path !== '' && existsSync(path));
}

/** Takes a mail's picture on a desktop and on a phone, in light and in dark. Returns the files. */
export async function takePictures(
  browser: string,
  url: string,
  { shape, kind, language }: PreviewChoice,
  folder: string,
): Promise<readonly string[]> {
  mkdirSync(folder, { recursive: true });
  const profile = mkdtempSync(join(tmpdir(), 'mail-preview-'));
  const query = new URLSearchParams({ shape, kind, language, part: 'html' });
  const files: string[] = [];
  try {
    for (const [device, width] of Object.entries(WIDTHS)) {
      for (const [scheme, setting] of Object.entries(SCHEMES)) {
        const name = [shape.replace(/\W+/g, '-'), kind, language, device, scheme].join('.');
        const file = join(folder, `${name}.png`);
        await promisify(execFile)(browser, [
          '--headless',
          '--no-sandbox',
          '--disable-gpu',
          '--hide-scrollbars',
          '--no-first-run',
          '--disable-background-networking',
          '--disable-component-update',
          '--disable-sync',
          `--user-data-dir=${profile}`,
          `--window-size=${Math.max(width, LEAST_WINDOW)},${HEIGHT}`,
          `--blink-settings=preferredColorScheme=${setting}`,
          `--screenshot=${file}`,
          `${url}/framed?${query.toString()}&width=${width}&height=${HEIGHT}`,
        ]);
        writeFileSync(file, cutOut(readFileSync(file), width));
        files.push(file);
      }
    }
  } finally {
    rmSync(profile, { recursive: true, force: true });
  }
  return files;
}

/** The picture's first columns, without the rows at its end that are all of one colour. */
function cutOut(bytes: Buffer, width: number): Buffer {
  const whole = PNG.sync.read(bytes);
  const cut = (height: number): PNG => {
    const part = new PNG({ width, height });
    PNG.bitblt(whole, part, 0, 0, width, height, 0, 0);
    return part;
  };
  const { data } = cut(whole.height);
  const row = (y: number): Buffer => data.subarray(y * width * 4, (y + 1) * width * 4);
  const empty = row(whole.height - 1);
  let last = whole.height - 1;
  while (last > 0 && row(last).equals(empty)) last -= 1;
  return PNG.sync.write(cut(last + 1), { colorType: 2, deflateLevel: 9 });
}
