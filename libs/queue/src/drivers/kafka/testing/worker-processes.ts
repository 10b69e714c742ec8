import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('./worker-process.mjs', import.meta.url));

export interface WorkerProcess {
  readonly name: string;
  /** Deliveries begun here whose ack was not reported. */
  readonly open: ReadonlySet<string>;
  readonly handled: number;
  kill(signal: NodeJS.Signals): Promise<void>;
  send(signal: NodeJS.Signals): void;
}

/** Worker processes of one queue, and what they reported. */
export class WorkerProcesses {
  /** Message id to the deliveries that were begun, `worker:count` each. */
  readonly deliveries = new Map<string, string[]>();
  readonly acked = new Set<string>();
  readonly #children = new Set<ChildProcess>();

  constructor(
    private readonly setting: {
      brokers: readonly string[];
      queue: string;
      visibilityTimeoutMs: number;
      handleMs: number;
    },
  ) {}

  start(name: string): WorkerProcess {
    const child = spawn(process.execPath, [SCRIPT, JSON.stringify(this.setting)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#children.add(child);
    const open = new Set<string>();
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    let handled = 0;
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [what, id = '', count] = line.split(' ');
      if (what === 'A') {
        open.delete(id);
        this.acked.add(id);
        return;
      }
      handled++;
      open.add(id);
      this.deliveries.set(id, [...(this.deliveries.get(id) ?? []), `${name}:${count}`]);
    });
    return {
      name,
      open,
      get handled() {
        return handled;
      },
      send: (signal) => void child.kill(signal),
      kill: async (signal) => {
        child.kill(signal);
        await ended;
      },
    };
  }

  get twice(): readonly string[] {
    return [...this.deliveries]
      .filter(([, begun]) => begun.length > 1)
      .map(([id, begun]) => `${id} ${begun.join(' ')}`);
  }

  async close(): Promise<void> {
    await Promise.all(
      [...this.#children].map(async (child) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const ended = new Promise((resolve) => child.once('exit', resolve));
        child.kill('SIGKILL');
        await ended;
      }),
    );
  }
}
