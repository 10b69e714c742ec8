import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** As `npm start` runs it; `npm test` has built it. */
const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));

describe('the embedded example', () => {
  it('packs every order, one at its third delivery, one after a redrive, and ends', async () => {
    const { DATABASE_URL: _, ...env } = process.env;
    const { stdout } = await promisify(execFile)(process.execPath, [MAIN], { env, timeout: 50_000 });
    const lines = stdout.trim().split('\n');
    const packed = lines.filter((line) => line.startsWith('packed')).sort();
    expect(packed).toEqual([
      ...['bell', 'book', 'chair', 'drum'].map((item) => `packed 1 × ${item}`),
      'packed 1 × glass, at delivery 3',
      ...['kettle', 'lamp', 'rope', 'unicorn'].map((item) => `packed 1 × ${item}`),
      'packed 2 × cake',
    ]);
    expect(lines.slice(-4)).toEqual([
      'dead letters: 1 × no_such_item',
      'redriven: 1',
      'packed 1 × unicorn',
      'done; the consumer is consuming',
    ]);
  });
});
