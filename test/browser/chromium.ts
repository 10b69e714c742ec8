import { existsSync } from 'node:fs';

const EXECUTABLE = process.env.TEST_CHROMIUM ?? '/usr/bin/chromium';

/**
 * Where the browser is. Without one the browser tests are skipped with one loud line; in CI they fail instead.
 * Debian: `apt-get install chromium`.
 */
export const CHROMIUM = existsSync(EXECUTABLE) ? EXECUTABLE : undefined;

if (CHROMIUM === undefined) {
  const missing = `There is no ${EXECUTABLE}: install chromium, or name one by TEST_CHROMIUM`;
  if (process.env.CI === 'true') throw new Error(`${missing}; in CI browser tests are not skipped.`);
  process.stderr.write(`\n  BROWSER TESTS ARE SKIPPED. ${missing}.\n\n`);
}

export const CHROMIUM_ARGUMENTS: readonly string[] = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
