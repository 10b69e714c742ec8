import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { within, type Logger, type RunningService } from '@eticket/service';

export interface WorkerProcessesOptions {
  /** One port for each worker's health and metrics. */
  readonly ports: readonly number[];
  /** The environment of a worker, without its `PORT`. */
  readonly env: NodeJS.ProcessEnv;
  readonly logger: Logger;
  /** Takes the workers' own log lines. */
  readonly log: { write(line: string): void };
  /** The worker's main file; that of `@eticket/mail-eticket` when left out. */
  readonly program?: string;
}

/** A worker process could not start at all. The message is what it said itself. */
export class WorkerStartError extends Error {
  readonly code = 'worker_start';
  readonly retryable = false;
  override readonly name = 'WorkerStartError';
}

const START_DEADLINE_MS = 30_000;
/** More than a worker's own deadline to drain. */
const STOP_DEADLINE_MS = 20_000;
const FIRST_RESTART_MS = 500;
const MAX_RESTART_MS = 30_000;
/** A worker that lived this long had a good start: its next end is a new story. */
const STEADY_AFTER_MS = 60_000;

/**
 * Runs mail workers as processes of their own and starts those again that end.
 *
 * Each is in a process group of its own, so that Ctrl+C in the terminal reaches this process alone, which then stops
 * them in order; and each holds a channel to this process, whose closing tells it that we are gone, killed or not.
 * @throws WorkerStartError when one cannot start.
 */
export async function startWorkerProcesses(options: WorkerProcessesOptions): Promise<WorkerProcesses> {
  const workers = options.ports.map((port, index) => new WorkerProcess(index + 1, port, options));
  const service = new WorkerProcesses(workers);
  try {
    await Promise.all(workers.map((worker) => worker.start()));
    return service;
  } catch (error) {
    await service.stop();
    throw error;
  }
}

/** All workers of one start. */
export class WorkerProcesses implements RunningService {
  readonly name = 'mail workers';

  constructor(private readonly workers: readonly WorkerProcess[]) {}

  get url(): string {
    return this.workers[0]?.url ?? '';
  }

  get urls(): readonly string[] {
    return this.workers.map(({ url }) => url);
  }

  get pids(): readonly number[] {
    return this.workers.flatMap(({ pid }) => pid ?? []);
  }

  async stop(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.stop()));
  }
}

class WorkerProcess {
  readonly url: string;
  private child: ChildProcess | undefined;
  private stopping = false;
  private lastWords = '';
  private readonly cancelRestart = new AbortController();

  constructor(
    private readonly number: number,
    private readonly port: number,
    private readonly options: WorkerProcessesOptions,
  ) {
    this.url = `http://127.0.0.1:${port}`;
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** Resolves when the worker answers, and watches it from then on. */
  async start(): Promise<void> {
    const child = this.spawn();
    const ended = once(child, 'exit').then(() => {
      throw new WorkerStartError(this.lastWords || `Mail worker ${this.number} ended at its start.`);
    });
    const answered = new AbortController();
    try {
      await within(
        Promise.race([ended, this.answers(answered.signal)]),
        START_DEADLINE_MS,
        `starting worker ${this.number}`,
      );
    } finally {
      answered.abort();
      // Once it is up its end is the watcher's business.
      ended.catch(() => undefined);
    }
    this.watch(child, performance.now(), FIRST_RESTART_MS);
  }

  async stop(): Promise<void> {
    this.stopping = true;
    this.cancelRestart.abort();
    const { child } = this;
    if (!child || hasEnded(child)) return;
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    await within(exit, STOP_DEADLINE_MS, `stopping worker ${this.number}`).catch(() => child.kill('SIGKILL'));
  }

  private spawn(): ChildProcess {
    const child = fork(this.options.program ?? mailWorkerProgram(), [], {
      env: { ...this.options.env, PORT: String(this.port) },
      execArgv: [],
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.child = child;
    this.lastWords = '';
    if (child.stdout) createInterface(child.stdout).on('line', (line) => this.options.log.write(`${line}\n`));
    if (child.stderr) createInterface(child.stderr).on('line', (line) => this.heardError(line));
    return child;
  }

  private heardError(line: string): void {
    this.lastWords ||= line;
    this.options.logger.warn({ worker: this.number }, line);
  }

  private watch(child: ChildProcess, startedAt: number, restartMs: number): void {
    const restart = async (how: string): Promise<void> => {
      if (this.stopping) return;
      const waitMs = performance.now() - startedAt > STEADY_AFTER_MS ? FIRST_RESTART_MS : restartMs;
      const { number } = this;
      this.options.logger.warn(
        { worker: number, how, waitMs },
        `mail worker ${number} ended (${how}); it is started again`,
      );
      await delay(waitMs, undefined, { signal: this.cancelRestart.signal }).catch(() => undefined);
      // Stopped meanwhile.
      if (this.cancelRestart.signal.aborted) return;
      const next = this.spawn();
      this.watch(next, performance.now(), Math.min(waitMs * 2, MAX_RESTART_MS));
    };
    if (hasEnded(child)) void restart(howItEnded(child));
    else child.once('exit', () => void restart(howItEnded(child)));
    // No process could be made: there is no exit then.
    child.once('error', (error) => child.pid === undefined && void restart(error.message));
  }

  private async answers(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const live = await fetch(`${this.url}/health/live`, { signal }).then(
        (response) => response.ok,
        () => false,
      );
      if (live) return;
      await delay(100, undefined, { signal }).catch(() => undefined);
    }
  }
}

function mailWorkerProgram(): string {
  return fileURLToPath(new URL('./main.js', import.meta.resolve('@eticket/mail-eticket')));
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

function howItEnded(child: ChildProcess): string {
  return child.signalCode ?? `code ${child.exitCode}`;
}
