import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { eventually } from '@eticket/service/testing';

interface Running {
  readonly pid: number;
  readonly parent: number;
  /** One letter; `Z` has ended and waits for its parent to notice. */
  readonly state: string;
}

/** These processes and all that descend from them, as far as they run. */
export async function processesBelow(roots: readonly number[]): Promise<readonly number[]> {
  const running = await runningProcesses();
  const found = new Set(running.filter(({ pid }) => roots.includes(pid)).map(({ pid }) => pid));
  for (let before = -1; before < found.size;) {
    before = found.size;
    for (const { pid, parent } of running) if (found.has(parent)) found.add(pid);
  }
  return [...found];
}

/** Those of these processes that run. */
export async function stillRunning(pids: readonly number[]): Promise<readonly number[]> {
  return (await runningProcesses()).map(({ pid }) => pid).filter((pid) => pids.includes(pid));
}

/** kill -9, and waits until they are gone. */
export async function killAll(pids: readonly number[]): Promise<void> {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Ended by itself meanwhile.
    }
  }
  await eventually(async () => (await stillRunning(pids)).length === 0);
}

async function runningProcesses(): Promise<readonly Running[]> {
  const all = await (process.platform === 'linux' ? processesOfProc() : processesOfPs());
  return all.filter(({ state }) => state !== 'Z');
}

/** Small containers have no `ps`. */
async function processesOfProc(): Promise<readonly Running[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')));
  // "pid (name) state parent …": the name may hold spaces and parentheses.
  return stats.flatMap((stat) => {
    const fields = /^(\d+) \(.*\) (\w) (\d+)/s.exec(stat);
    return fields ? [{ pid: Number(fields[1]), parent: Number(fields[3]), state: fields[2] ?? '' }] : [];
  });
}

async function processesOfPs(): Promise<readonly Running[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,stat=']);
  return stdout
    .trim()
    .split('\n')
    .map((line) => {
      const [pid, parent, state = ''] = line.trim().split(/\s+/);
      return { pid: Number(pid), parent: Number(parent), state: state.slice(0, 1) };
    });
}
