import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

const FOLDER = fileURLToPath(new URL('../../docs/screenshots/', import.meta.url));
/** Of WebP: text stays sharp, and all pictures together stay below 1.5 MB. */
const QUALITY = 55;
/** A page of results goes on and on. */
const HIGHEST = 2600;

/**
 * The whole page as a WebP picture in docs/screenshots, which Playwright itself does not make. Only when SCREENSHOTS=1
 * asks for it: not made by every run, because dates and prices move.
 */
export async function picture(page: Page, name: string): Promise<void> {
  // What lies below the window is painted when it is scrolled to: the card form in its frame.
  const frame = page.locator('iframe');
  if ((await frame.count()) > 0) {
    await frame.scrollIntoViewIfNeeded();
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  }
  const session = await page.context().newCDPSession(page);
  const { cssContentSize: size } = await session.send('Page.getLayoutMetrics');
  const { data } = await session.send('Page.captureScreenshot', {
    format: 'webp',
    quality: QUALITY,
    captureBeyondViewport: true,
    clip: { x: 0, y: 0, width: size.width, height: Math.min(size.height, HIGHEST), scale: 1 },
  });
  await session.detach();
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(`${FOLDER}${name}.webp`, Buffer.from(data, 'base64'));
}
