import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const START_DEADLINE_MS = 45_000;

/** The booking service as it runs in production: a process of its own, that can be killed. */
export class BookingProcess {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {}

  static async start(env: Readonly<Record<string, string>>): Promise<BookingProcess> {
    const child = spawn(process.execPath, [PROGRAM], {
      env: { PATH: process.env.PATH ?? '', PORT: '0', LOG_LEVEL: 'info', ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const url = await new Promise<string>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error('the booking process did not start')), START_DEADLINE_MS);
      child.once('exit', (code) => reject(new Error(`the booking process ended with ${code}`)));
      createInterface({ input: child.stdout }).on('line', (line) => {
        const found = /"url":"(http:[^"]+)"/.exec(line)?.[1];
        if (found === undefined) return;
        clearTimeout(late);
        resolve(found);
      });
    });
    return new BookingProcess(child, url);
  }

  /** kill -9: nothing is finished, nothing is said. */
  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }
}
