import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { eventually } from './testing/index.js';

/** A service whose stop takes as long as the first argument says; `never` hangs, `fail` throws. */
const PROGRAM = `
  import { createLogger, runUntilSignal } from '@eticket/service';
  const how = process.argv[2];
  const service = { name: 'sample', stop: async () => {
    console.log('stopping');
    if (how === 'fail') throw new Error('could not stop');
    if (how === 'never') await new Promise(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, Number(how)));
    console.log('drained');
  } };
  setInterval(() => undefined, 1000);
  if (how === 'crash') setTimeout(() => { throw new Error('unforeseen'); }, 50);
  const end = runUntilSignal(service, { logger: createLogger({ service: 'sample', level: 'info' }), deadlineMs: 2_000 });
  console.log('up');
  await end;
`;

describe('A service that runs until a signal', () => {
  let folder: string;
  let child: ChildProcess;
  let output: string;

  beforeEach(async () => {
    // Below this file, so that the package resolves.
    folder = await mkdtemp(join(import.meta.dirname, '..', 'dist', 'shutdown-spec-'));
    await writeFile(join(folder, 'program.mjs'), PROGRAM);
  });
  afterEach(async () => {
    child.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });

  async function run(how: string, stdio: StdioOptions = ['ignore', 'pipe', 'inherit']): Promise<Promise<unknown[]>[]> {
    child = spawn(process.execPath, [join(folder, 'program.mjs'), how], { stdio });
    output = '';
    const exit = once(child, 'exit');
    if (child.stdout) createInterface(child.stdout).on('line', (line) => (output += `${line}\n`));
    await eventually(() => output.includes('up\n'));
    return [exit];
  }

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('drains on %s and leaves with 0', async (signal) => {
    const [exit] = await run('100');
    child.kill(signal);
    expect(await exit).toEqual([0, null]);
    expect(output).toContain('drained\n');
  });

  it('takes the two signals that npm makes of one Ctrl+C for one', async () => {
    const [exit] = await run('300');
    child.kill('SIGINT');
    await eventually(() => output.includes('stopping\n'));
    child.kill('SIGINT');
    expect(await exit).toEqual([0, null]);
    expect(output).toContain('drained\n');
  });

  it('leaves at once on the second signal', async () => {
    const [exit] = await run('5000');
    child.kill('SIGINT');
    await eventually(() => child.exitCode !== null || !child.kill('SIGINT'), { everyMs: 100 });
    expect(await exit).toEqual([1, null]);
    expect(output).not.toContain('drained');
  });

  it.each(['never', 'fail'])('leaves with 1 within the deadline when stopping goes wrong (%s)', async (how) => {
    const [exit] = await run(how);
    const began = performance.now();
    child.kill('SIGTERM');
    expect(await exit).toEqual([1, null]);
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(output).toContain('sample did not stop cleanly');
  });

  it('logs an error that nobody handled, as JSON, and leaves with 1', async () => {
    const [exit] = await run('crash');
    expect(await exit).toEqual([1, null]);
    const fatal = output.split('\n').find((line) => line.includes('"fatal"'));
    expect(JSON.parse(fatal ?? '')).toMatchObject({ level: 'fatal', err: { message: 'unforeseen' } });
  });

  it('drains and leaves when its parent is gone', async () => {
    const [exit] = await run('100', ['ignore', 'pipe', 'inherit', 'ipc']);
    child.disconnect();
    expect(await exit).toEqual([0, null]);
    expect(output).toContain('drained\n');
  });
});
