import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { eventually } from '@eticket/service/testing';

/** A process, told from a later one that the system gives the same number. */
export interface RunningProcess {
  readonly pid: number;
  readonly startedAt: string;
  readonly parent: number;
  /** Program and arguments. */
  readonly command: string;
}

/** All processes that `isRoot` chooses, and all that descend from them. */
export async function processesBelow(isRoot: (process: RunningProcess) => boolean): Promise<readonly RunningProcess[]> {
  const running = await runningProcesses();
  const found = new Set(running.filter(isRoot));
  for (let before = -1; before < found.size;) {
    before = found.size;
    const pids = new Set([...found].map(({ pid }) => pid));
    for (const one of running) if (pids.has(one.parent)) found.add(one);
  }
  return [...found];
}

/** Those of these processes that still run. */
export async function stillRunning(processes: readonly RunningProcess[]): Promise<readonly RunningProcess[]> {
  const running = new Set((await runningProcesses()).map(identityOf));
  return processes.filter((one) => running.has(identityOf(one)));
}

/** kill -9, and waits until they are gone. */
export async function killAll(processes: readonly RunningProcess[]): Promise<void> {
  for (const { pid } of await stillRunning(processes)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Ended by itself meanwhile.
    }
  }
  await eventually(async () => (await stillRunning(processes)).length === 0);
}

function identityOf({ pid, startedAt }: RunningProcess): string {
  return `${pid} of ${startedAt}`;
}

/** Without those that have ended and wait for their parent to notice. */
function runningProcesses(): Promise<readonly RunningProcess[]> {
  return process.platform === 'linux' ? processesOfProc() : processesOfPs();
}

/** Small containers have no `ps`. */
async function processesOfProc(): Promise<readonly RunningProcess[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const read = (pid: string, file: string) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
  const found = await Promise.all(
    pids.map(async (pid) => {
      const [stat, command] = await Promise.all([read(pid, 'stat'), read(pid, 'cmdline')]);
      // proc(5): "pid (name) state ppid …", the start in field 22. The name may hold spaces and parentheses.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const [state = 'Z', parent = ''] = fields;
      const startedAt = fields[19] ?? '';
      return { state, pid: Number(pid), parent: Number(parent), startedAt, command: command.replaceAll('\0', ' ') };
    }),
  );
  return found.filter(({ state }) => state !== 'Z' && state !== '');
}

async function processesOfPs(): Promise<readonly RunningProcess[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-ww', '-o', 'pid=,ppid=,stat=,lstart=,command=']);
  // The start is five words: "Mon Nov 30 21:13:49 2026".
  const lines = [...stdout.matchAll(/^ *(\d+) +(\d+) +(\S+) +(\S+ +\S+ +\S+ +\S+ +\S+) +(.*)$/gm)];
  return lines.flatMap(([, pid, parent, state = '', startedAt = '', command = '']) =>
    state.startsWith('Z') ? [] : [{ pid: Number(pid), parent: Number(parent), startedAt, command }],
  );
}
