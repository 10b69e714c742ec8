import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '@eticket/service/testing';

const run = promisify(execFile);
const SIZE = { columns: 100, rows: 30 };

/** Whether pseudo-terminals can be had here. In CI they have to be. */
export async function canHaveTerminals(): Promise<boolean> {
  const found = await run('tmux', ['-V']).then(
    () => true,
    () => false,
  );
  if (!found && process.env.CI) throw new Error('the specs of the chat need tmux: apt-get install tmux');
  if (!found)
    process.stderr.write('\n!!! SKIPPED: the chat in real terminals. It needs tmux: apt-get install tmux\n\n');
  return found;
}

/** A tmux server of its own, so that nobody's terminals are touched; each program gets a pseudo-terminal. */
export class Terminals {
  readonly #socket = `chat-${process.pid}-${Math.random().toString(36).slice(2)}`;
  #count = 0;
  #folder: Promise<string> | undefined;

  async open(command: readonly string[], env: Readonly<Record<string, string>>): Promise<Terminal> {
    const name = `t${this.#count++}`;
    this.#folder ??= mkdtemp(join(tmpdir(), 'chat-terminals-'));
    const exitCodeFile = join(await this.#folder, name);
    const script = [
      ...Object.entries(env).map(([key, value]) => `export ${key}=${quoted(value)};`),
      ...command.map(quoted),
      // A shell in between: tmux wakes its own children when they are stopped, and now and then loses their exit code.
      `; echo $? > ${quoted(exitCodeFile)}`,
    ].join(' ');
    const size = ['-x', String(SIZE.columns), '-y', String(SIZE.rows)];
    // -f /dev/null: nobody's own settings.
    await this.tmux('-f', '/dev/null', 'start-server', ';', 'set-option', '-g', 'history-limit', '50000', ';',
      'set-option', '-g', 'remain-on-exit', 'on', ';', 'new-session', '-d', '-s', name, ...size, script); // prettier-ignore
    const shell = (await this.tmux('display-message', '-p', '-t', name, '#{pane_pid}')).trim();
    const pid = await eventually(async () => Number((await run('pgrep', ['-P', shell])).stdout.trim()));
    return new Terminal(this, name, pid, exitCodeFile);
  }

  async tmux(...args: readonly string[]): Promise<string> {
    const { stdout } = await run('tmux', ['-L', this.#socket, ...args], { maxBuffer: 64 * 1024 * 1024 });
    return stdout;
  }

  async close(): Promise<void> {
    await this.tmux('kill-server').catch(() => undefined);
    if (this.#folder) await rm(await this.#folder, { recursive: true, force: true });
  }
}

/** One program in a pseudo-terminal. */
export class Terminal {
  constructor(
    private readonly terminals: Terminals,
    private readonly name: string,
    readonly pid: number,
    private readonly exitCodeFile: string,
  ) {}

  /** Types text, without Enter. */
  async type(text: string): Promise<void> {
    await this.terminals.tmux('send-keys', '-t', this.name, '-l', '--', text);
  }

  /** Presses keys by tmux's names: `Enter`, `C-c`. */
  async press(...keys: readonly string[]): Promise<void> {
    await this.terminals.tmux('send-keys', '-t', this.name, ...keys);
  }

  async enter(line: string): Promise<void> {
    await this.type(line);
    await this.press('Enter');
  }

  /** Everything on the screen and above it, wrapped lines put together, without empty ones. */
  async lines(): Promise<readonly string[]> {
    const text = await this.terminals.tmux('capture-pane', '-p', '-J', '-S', '-', '-t', this.name);
    return text
      .split('\n')
      .map((line) => line.trimEnd())
      .filter((line) => line !== '' && !line.startsWith('Pane is dead'));
  }

  /** What is on the screen as it is, row by row. */
  async rows(): Promise<readonly string[]> {
    const text = await this.terminals.tmux('capture-pane', '-p', '-t', this.name);
    return text.split('\n').map((line) => line.trimEnd());
  }

  async title(): Promise<string> {
    return (await this.terminals.tmux('display-message', '-p', '-t', this.name, '#{pane_title}')).trim();
  }

  async shows(pattern: RegExp, deadlineMs = 15_000): Promise<void> {
    await eventually(
      async () => {
        const lines = await this.lines();
        if (!lines.some((line) => pattern.test(line))) throw new Error(`no ${pattern} in:\n${lines.join('\n')}`);
      },
      { deadlineMs, everyMs: 100 },
    );
  }

  kill(signal: NodeJS.Signals): void {
    process.kill(this.pid, signal);
  }

  /** Resolves with the exit code of the program. */
  async exited(deadlineMs = 15_000): Promise<number> {
    return eventually(
      async () => {
        const code = await readFile(this.exitCodeFile, 'utf8').catch(() => '');
        if (code.trim() === '') throw new Error(`it still runs:\n${(await this.lines()).join('\n')}`);
        return Number(code);
      },
      { deadlineMs, everyMs: 100 },
    );
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
