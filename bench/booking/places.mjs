/** What runs beside the bench: a database server, Kafka, a mail relay, and the programs that are measured. */
import { execFile, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const KAFKA = fileURLToPath(new URL('../../tools/kafka-local/kafka-local.mjs', import.meta.url));
const SINK = fileURLToPath(new URL('../mail/sink.mjs', import.meta.url));
const READY_MS = 60_000;
const KAFKA_MS = 300_000;
const run = promisify(execFile);

export function main(app) {
  return fileURLToPath(new URL(`../../apps/${app}/dist/main.js`, import.meta.url));
}

/** TEST_KAFKA_BROKERS, or a broker of this run's own. */
export async function startKafka(dir) {
  const given = process.env.TEST_KAFKA_BROKERS;
  if (given) return { brokers: given, stop: () => Promise.resolve() };
  const env = { ...process.env, KAFKA_LOCAL_DIR: join(dir, 'kafka') };
  const { stdout } = await run(process.execPath, [KAFKA, 'up', '--brokers', '1', '--json'], { env, timeout: KAFKA_MS });
  const stop = () => run(process.execPath, [KAFKA, 'down', '--remove'], { env, timeout: KAFKA_MS });
  return { brokers: JSON.parse(stdout).brokers, stop };
}

/** A mail relay that takes everything, and that can be away and come back to the same port. */
export async function startRelay() {
  let port = 0;
  let takenBefore = 0;
  let child;
  const start = async () => {
    child = fork(SINK, [String(port)]);
    [{ port }] = await once(child, 'message');
  };
  const taken = async () => {
    if (!child) return takenBefore;
    const answered = once(child, 'message');
    child.send('how many?');
    return takenBefore + (await answered)[0].taken;
  };
  await start();
  return {
    url: () => `smtp://127.0.0.1:${port}`,
    taken,
    start,
    stop: async () => {
      if (!child) return;
      takenBefore = await taken();
      const ended = once(child, 'exit');
      child.disconnect();
      child = undefined;
      await ended;
    },
  };
}

/** One of the product's programs, ready; `away` names the check of its readiness that may be red. */
export async function startProgram(file, env, { away, cpuProf } = {}) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, [...profiling(cpuProf), file], {
    env: { PATH: process.env.PATH, ...env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  for (const end = Date.now() + READY_MS; ; await delay(100)) {
    const health = await fetch(`${url}/health/ready`).catch(() => undefined);
    if (health?.ok || (away && Object.keys((await health?.json())?.error ?? {}).join() === away)) break;
    if (child.exitCode !== null || Date.now() > end) throw new Error(`${file} did not become ready`);
  }
  return { url, cpuMs: () => cpuMs(child.pid), stop: () => stop(child) };
}

export async function startYardstick(databaseUrl, connections, sample, { cpuProf } = {}) {
  const file = fileURLToPath(new URL('yardstick.mjs', import.meta.url));
  const child = spawn(process.execPath, [...profiling(cpuProf), file, databaseUrl, String(connections)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify(sample));
  const [url] = await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(() => Promise.reject(new Error('the yardstick did not start'))),
  ]);
  return { url: url.toString().trim(), cpuMs: () => cpuMs(child.pid), stop: () => stop(child) };
}

/** CPU that a process has used; NaN where there is no /proc. */
async function cpuMs(pid) {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function profiling(dir) {
  return dir ? ['--cpu-prof', `--cpu-prof-dir=${dir}`] : [];
}

async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), 20_000);
  await ended;
  clearTimeout(late);
}

/** A port that nobody listens on for the moment. */
export async function freePort() {
  const { createServer } = await import('node:net');
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
