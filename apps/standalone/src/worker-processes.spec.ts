import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createLogger } from '@eticket/service';
import { eventually } from '@eticket/service/testing';
import { startWorkerProcesses, type WorkerProcesses } from './worker-processes.js';

/** Stands for a mail worker: answers its health check, drains on SIGTERM, leaves when its parent is gone. */
const WORKER = `
  import { createServer } from 'node:http';
  import { appendFileSync } from 'node:fs';
  if (process.env.REFUSE) { console.error('Port taken: choose another.'); process.exit(1); }
  const leave = (why) => setTimeout(() => { appendFileSync(process.env.NOTES, why + '\\n'); process.exit(0); }, 100);
  process.on('SIGTERM', () => leave('drained'));
  process.once('disconnect', () => leave('orphan left'));
  console.log('{"level":"info","msg":"worker line"}');
  createServer((request, response) => response.end('{}')).listen(Number(process.env.PORT), '127.0.0.1');
`;
/** A parent that can be killed; prints its workers' pids. */
const PARENT = `
  import { startWorkerProcesses } from '${new URL('../dist/worker-processes.js', import.meta.url).href}';
  import { createLogger } from '@eticket/service';
  const logger = createLogger({ service: 'parent', level: 'silent' });
  const [program, ...ports] = process.argv.slice(1);
  const log = { write: () => undefined };
  const { pids } = await startWorkerProcesses({ ports: ports.map(Number), env: process.env, logger, log, program });
  console.log(JSON.stringify(pids));
`;

describe('Worker processes', () => {
  let folder: string;
  let program: string;
  let workers: WorkerProcesses | undefined;
  const lines: string[] = [];
  const logger = createLogger({
    service: 'standalone',
    level: 'info',
    destination: { write: (line) => lines.push(line) },
  });
  const notes = () => readFile(join(folder, 'notes'), 'utf8').catch(() => '');

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'eticket-workers-'));
    program = join(folder, 'worker.mjs');
    await writeFile(program, WORKER);
    lines.length = 0;
  });
  afterEach(async () => {
    await workers?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function start(count: number, env: NodeJS.ProcessEnv = {}): Promise<WorkerProcesses> {
    const ports = await Promise.all(Array.from({ length: count }, freePort));
    workers = await startWorkerProcesses({
      ports,
      env: { ...process.env, NOTES: join(folder, 'notes'), ...env },
      logger,
      log: { write: (line) => lines.push(line) },
      program,
    });
    return workers;
  }

  it('run until they are stopped, and drain then', async () => {
    const { pids } = await start(2);
    expect(new Set(pids).size).toBe(2);
    await eventually(() => lines.filter((line) => line.includes('worker line')).length === 2);
    await workers?.stop();
    expect((await notes()).split('\n').sort()).toEqual(['', 'drained', 'drained']);
    expect(lines.join('')).not.toContain('started again');
  });

  it('are started again when they die, the others left alone', async () => {
    const { pids } = await start(2);
    process.kill(pids[0] as number, 'SIGKILL');
    await eventually(() => workers?.pids[0] !== pids[0] && workers?.pids[1] === pids[1]);
    await eventually(async () => (await fetch(`${workers?.url}/health/live`)).ok);
    expect(lines.join('')).toContain('mail worker 1 ended (SIGKILL); it is started again');
  });

  it('drain and leave when their parent is killed', async () => {
    const ports = await Promise.all([freePort(), freePort()]);
    const parent = spawn(process.execPath, ['--input-type=module', '-e', PARENT, program, ...ports.map(String)], {
      cwd: import.meta.dirname,
      env: { ...process.env, NOTES: join(folder, 'notes') },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(createInterface(parent.stdout), 'line')) as [string];
    parent.kill('SIGKILL');
    await eventually(async () => (await notes()) === 'orphan left\norphan left\n');
    const pids = JSON.parse(line) as readonly number[];
    await eventually(() => pids.every((pid) => !isAlive(pid)));
  });

  it('fail the start with the worker’s own sentence when one cannot start', async () => {
    await expect(start(2, { REFUSE: '1' })).rejects.toMatchObject({
      name: 'WorkerStartError',
      message: 'Port taken: choose another.',
    });
  });
});

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
