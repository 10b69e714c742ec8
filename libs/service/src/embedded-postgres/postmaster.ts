import { execFile, spawn } from 'node:child_process';
import { open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import type { Binaries } from './binaries.js';
import type { DataFolder } from './data-folder.js';
import { serverEnvironment } from './server-environment.js';
import type { ServerUser } from './server-user.js';

const run = promisify(execFile);

/** A PostgreSQL server on our data. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
}

/** `exited` resolves, with what it logged, should the server end before anyone stops it. */
export interface SpawnedPostmaster extends Postmaster {
  readonly exited: Promise<string>;
}

const MAX_LOG_BYTES = 5 * 1024 * 1024;

/**
 * The live server that holds the cluster, or undefined. Reads `postmaster.pid`, which PostgreSQL itself locks the
 * cluster with: pid, folder, start time, port, one a line.
 *
 * PostgreSQL takes over the file of a dead process. It refuses when a living one has the number, which after kill -9
 * may be any program: so a file that names something other than a PostgreSQL is removed here.
 */
export async function findPostmaster(cluster: string): Promise<Postmaster | undefined> {
  const file = join(cluster, 'postmaster.pid');
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n');
  const pid = Math.abs(Number(lines[0]));
  const port = Number(lines[3]);
  if (!Number.isInteger(pid) || pid <= 1 || !isAlive(pid)) return undefined;
  if (!(await isPostgresOn(pid, cluster))) {
    await rm(file, { force: true });
    return undefined;
  }
  return { pid, port: Number.isInteger(port) ? port : 0 };
}

/** Starts a server on the cluster, on 127.0.0.1 alone, as a process that outlives this one. */
export async function spawnPostmaster(
  folder: DataFolder,
  binaries: Binaries,
  user: ServerUser,
  port: number,
): Promise<SpawnedPostmaster> {
  await rotateLog(folder.logFile);
  const log = await open(folder.logFile, 'a', 0o600);
  const { size: logStart } = await log.stat();
  try {
    const child = spawn(binaries.postgres, ['-D', folder.cluster, '-p', String(port), ...flags()], {
      ...user,
      cwd: folder.cluster,
      env: serverEnvironment(),
      // A session of its own: Ctrl+C in the terminal must reach us alone, as our drain still needs the database.
      detached: true,
      windowsHide: true,
      // A file, not a pipe: the server must be able to log when this process was killed.
      stdio: ['ignore', log.fd, log.fd],
    });
    child.unref();
    const ended = new Promise<void>((resolve) => {
      child.once('error', () => resolve());
      child.once('exit', () => resolve());
    });
    return { pid: child.pid ?? 0, port, exited: ended.then(() => readFrom(folder.logFile, logStart)) };
  } finally {
    await log.close();
  }
}

function flags(): readonly string[] {
  const settings = {
    listen_addresses: '127.0.0.1',
    // No socket file: its path may be 107 bytes long at most, and TCP is what everyone here uses.
    unix_socket_directories: '',
    // Four workers, two services and tools with ten connections each, and room for a demonstration.
    max_connections: 150,
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Rows and statements hold personal data: only codes and messages are logged.
    log_error_verbosity: 'terse',
    log_min_error_statement: 'panic',
    log_line_prefix: '%m [%p] ',
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/**
 * Stops the server that holds the cluster: fast (open transactions are rolled back, everything is written), and
 * should that take too long at once (the next start recovers from the log). Resolves when it is gone.
 */
export async function stopPostmaster(
  cluster: string,
  binaries: Binaries,
  user: ServerUser,
  deadlineMs: number,
): Promise<void> {
  const seconds = Math.max(1, Math.floor(deadlineMs / 2000));
  for (const mode of ['fast', 'immediate']) {
    if (!(await findPostmaster(cluster))) return;
    const args = ['stop', '-D', cluster, '-m', mode, '-w', '-t', String(seconds), '-s'];
    await run(binaries.pgCtl, args, {
      ...user,
      cwd: cluster,
      env: serverEnvironment(),
      timeout: (seconds + 1) * 1000,
      windowsHide: true,
    }).catch(() => undefined);
  }
  const left = await findPostmaster(cluster);
  if (left) process.kill(left.pid, 'SIGKILL');
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Whether the process is a PostgreSQL server on this cluster; where that cannot be told, the file is believed. */
async function isPostgresOn(pid: number, cluster: string): Promise<boolean> {
  const command = await commandOf(pid);
  if (command === undefined) return true;
  const folderAt = command.indexOf('-D');
  const folder = folderAt < 0 ? undefined : command[folderAt + 1];
  const isPostgres = /^postgres(\.exe)?$/.test(basename(command[0] ?? ''));
  if (!isPostgres || folder === undefined) return false;
  return (await realpath(folder).catch(() => folder)) === (await realpath(cluster));
}

async function commandOf(pid: number): Promise<readonly string[] | undefined> {
  if (process.platform === 'linux') {
    const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => undefined);
    return text?.split('\0');
  }
  return undefined;
}

async function rotateLog(file: string): Promise<void> {
  const size = await stat(file).then(
    (found) => found.size,
    () => 0,
  );
  if (size > MAX_LOG_BYTES) await rename(file, `${file}.1`);
}

async function readFrom(file: string, start: number): Promise<string> {
  const content = await readFile(file).catch(() => Buffer.alloc(0));
  return content.subarray(start).toString('utf8').slice(-4_000);
}
