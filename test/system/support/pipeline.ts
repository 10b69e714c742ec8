import { chmod, mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NodeProcess } from './node-process.js';
import { killAll, processesBelow, stillRunning, type RunningProcess } from './process-tree.js';

const FREE_PORTS = { PORT: '0', WORKER_PORT: '0', INBOX_PORT: '0', SMTP_PORT: '0', PAYMENT_PORT: '0' };

/** What `npm start` runs, with a data folder that goes away with it. It may be started several times on that folder. */
export class Pipeline {
  private current: NodeProcess | undefined;
  private readonly outputs: NodeProcess[] = [];
  /** Every process ever seen of a start, to find out what was left running. */
  private readonly seen: RunningProcess[] = [];

  private constructor(
    private readonly dataDir: string,
    private readonly args: readonly string[],
    private readonly env: NodeJS.ProcessEnv,
  ) {}

  static async start(args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Promise<Pipeline> {
    const dataDir = await realpath(await mkdtemp(join(tmpdir(), 'eticket-system-')));
    // Under root PostgreSQL is another user's, who must get through.
    await chmod(dataDir, 0o755);
    const pipeline = new Pipeline(dataDir, args, env);
    try {
      await pipeline.startAgain();
      return pipeline;
    } catch (error) {
      await pipeline.remove();
      throw error;
    }
  }

  async startAgain(): Promise<void> {
    const start = new NodeProcess('apps/standalone/dist/main.js', this.args, {
      ...FREE_PORTS,
      ...this.env,
      DATA_DIR: this.dataDir,
    });
    this.current = start;
    this.outputs.push(start);
    await start.says(/the data is kept/);
    await this.processes();
  }

  get bookingUrl(): string {
    return this.onScreen(/Booking +(http\S+)/);
  }

  get inboxUrl(): string {
    return this.onScreen(/Inbox +(http\S+)/);
  }

  /** Of the workers that run as processes of their own, at the start. */
  get workerPids(): readonly number[] {
    return this.onScreen(/processes \(([\d, ]+)\)/)
      .split(', ')
      .map(Number);
  }

  /** As `connection.json` in the data folder tells other local processes. */
  async databaseUrl(): Promise<string> {
    const { url } = JSON.parse(await readFile(join(this.dataDir, 'connection.json'), 'utf8')) as {
      readonly url: string;
    };
    return url;
  }

  /** kill -9 of all of it, PostgreSQL too. Resolves with how many processes that were. */
  async killEverything(): Promise<number> {
    const processes = await this.processes();
    await killAll(processes);
    return processes.length;
  }

  /** Ctrl+C. Resolves with the exit code. */
  async interrupt(): Promise<unknown> {
    await this.processes();
    return this.current?.end('SIGINT');
  }

  /** What it wrote into log files and on the terminal, over all starts; without the command to paste, whose traveller is invented. */
  async logs(): Promise<string> {
    const folder = join(this.dataDir, 'logs');
    const files = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')));
    return [...files, ...this.outputs.map(({ output }) => output.replace(/^OFFER=.*?^$/ms, ''))].join('\n');
  }

  /** Ends what runs and removes the data. @throws when a start that had ended left something running. */
  async remove(): Promise<void> {
    const hadEnded = this.current?.hasEnded ?? true;
    const left = await stillRunning(this.seen);
    await this.killEverything();
    await killAll(left);
    await rm(this.dataDir, { recursive: true, force: true });
    if (hadEnded && left.length > 0) throw new Error(`left running: ${left.map(({ command }) => command).join('; ')}`);
  }

  /** The start with its workers; PostgreSQL, which names its data folder, with its own children. */
  private async processes(): Promise<readonly RunningProcess[]> {
    const start = this.current?.hasEnded === false ? this.current.pid : undefined;
    const found = await processesBelow(({ pid, command }) => pid === start || command.includes(this.dataDir));
    this.seen.push(...found);
    return found;
  }

  private onScreen(pattern: RegExp): string {
    return pattern.exec(this.current?.output ?? '')?.[1] ?? '';
  }
}
