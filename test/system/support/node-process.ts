import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { eventually } from '@eticket/service/testing';
import { killAll, processesBelow } from './process-tree.js';

/** A drain takes its deadlines one after the other; beyond this it hangs. */
const STOP_DEADLINE_MS = 60_000;

/** A program of this repository, as built, running as a process of its own. */
export class NodeProcess {
  /** Standard output and standard error so far. */
  output = '';
  private readonly child: ChildProcess;
  private readonly exit: Promise<unknown>;

  /** `program`: path below the repository, such as `apps/booking/dist/main.js`. */
  constructor(
    readonly program: string,
    args: readonly string[],
    env: NodeJS.ProcessEnv,
  ) {
    const main = fileURLToPath(new URL(`../../../${program}`, import.meta.url));
    this.child = spawn(process.execPath, [main, ...args], {
      env: { ...systemEnvironment(), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.exit = once(this.child, 'exit').then(([code, signal]: unknown[]) => code ?? signal);
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    }
  }

  get pid(): number {
    return this.child.pid as number;
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Resolves when the output matches. @throws when that does not happen in time, with the output. */
  async says(pattern: RegExp, deadlineMs = 60_000): Promise<RegExpExecArray> {
    const found = await eventually(() => pattern.exec(this.output) ?? this.hasEnded, { deadlineMs }).catch(() => true);
    if (found === true) throw new Error(`${this.program} never said ${String(pattern)}, but:\n${this.output}`);
    return found as RegExpExecArray;
  }

  /** Resolves with the exit code, or the signal that ended it. */
  async end(signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL'): Promise<unknown> {
    if (!this.hasEnded) this.child.kill(signal);
    await eventually(() => this.hasEnded, { deadlineMs: STOP_DEADLINE_MS });
    return this.exit;
  }

  /** kill -9 of this process and all below it. */
  async kill(): Promise<void> {
    if (!this.hasEnded) await killAll(await processesBelow(({ pid }) => pid === this.pid));
  }
}

/** What any program needs, without the settings of whoever runs the tests. */
function systemEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR, TEMP, SystemRoot } = process.env;
  return { PATH, HOME, TMPDIR, TEMP, SystemRoot };
}
