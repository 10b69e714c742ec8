#!/usr/bin/env node
/**
 * 50 people in a room say 1,000 things: does everyone see everything, and how soon?
 *
 * A real chat server on a real queue, and the whole client (its keyboard and screen are streams), several clients in
 * each of a few processes: 50 processes would measure the machine's memory. Clients of a process share connections to
 * the queue, not readers: each has its own ephemeral consumer. Measured is from the moment a line is typed at one client
 * to the moment it is written to the screen of another, on one clock for all processes.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const USAGE = `npm run bench:chat -- [options]

  --clients N      people in the room (50)
  --messages N     things said by all of them together (1000)
  --rate N         things said a second by all of them together (20)
  --processes N    that the clients are spread over (4)
  --json FILE      write { clients, messages, missing, p99Ms, … } there

The room is on an embedded PostgreSQL that is thrown away, or on KAFKA_BROKERS or DATABASE_URL where one is set.
`;

const { values } = parseArgs({
  options: {
    clients: { type: 'string', default: '50' },
    messages: { type: 'string', default: '1000' },
    rate: { type: 'string', default: '20' },
    processes: { type: 'string', default: '4' },
    json: { type: 'string' },
    help: { type: 'boolean' },
  },
});

const SERVER = fileURLToPath(new URL('../../apps/chat-server/dist/main.js', import.meta.url));
const CLIENTS = fileURLToPath(new URL('clients.mjs', import.meta.url));
const READY_MS = 60_000;

if (values.help) process.stdout.write(USAGE);
else process.exitCode = await main();

async function main() {
  const clients = Number(values.clients);
  const messages = Math.floor(Number(values.messages) / clients) * clients;
  const rate = Number(values.rate);
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-chat-'));
  const port = await freePort();
  const env = {
    ...process.env,
    // A topic of its own: the room of others is left alone.
    KAFKA_TOPIC: `bench-chat-${process.pid}-${Date.now()}`,
    DATA_DIR: dataDir,
    PORT: String(port),
    CHAT_SERVER_URL: `http://127.0.0.1:${port}`,
    CHAT_MESSAGES_PER_SECOND: '1000',
    CHAT_MESSAGES_BURST: '1000',
    LOG_LEVEL: 'warn',
  };
  const children = [];
  try {
    children.push(await startServer(env));
    const groups = await startClients(env, clients, children);
    const results = await talk(groups, { clients, messages, rate });
    const report = reportOf(results, { clients, messages, rate, env });
    process.stdout.write(textOf(report));
    if (values.json) await writeFile(values.json, `${JSON.stringify(report, null, 2)}\n`);
    return report.missing === 0 && report.doubled === 0 && report.outOfOrder === 0 ? 0 : 1;
  } finally {
    for (const child of children.reverse()) await stop(child);
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function startServer(env) {
  const server = spawn(process.execPath, [SERVER], { env, stdio: ['ignore', 'inherit', 'inherit'] });
  for (const end = Date.now() + READY_MS; ; await delay(100)) {
    const ready = await fetch(`${env.CHAT_SERVER_URL}/health/ready`).catch(() => undefined);
    if (ready?.ok) return server;
    if (server.exitCode !== null || Date.now() > end) throw new Error('the chat server did not start');
  }
}

/** Starts the processes and waits until all their clients are in the room. */
async function startClients(env, clients, children) {
  const processes = Math.min(Number(values.processes), clients);
  const groups = Array.from({ length: processes }, (_, index) => {
    const names = Array.from({ length: clients }, (_, client) => `user-${client}`).filter(
      (_, client) => client % processes === index,
    );
    const child = spawn(process.execPath, [CLIENTS, ...names], { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    children.push(child);
    return { child, names };
  });
  await Promise.all(groups.map(({ child }) => answer(child, 'joined')));
  return groups;
}

async function talk(groups, { clients, messages, rate }) {
  const task = { type: 'talk', clients, messages, rate, startAt: String(process.hrtime.bigint() + 500_000_000n) };
  for (const { child } of groups) child.send(task);
  return Promise.all(groups.map(({ child }) => answer(child, 'done')));
}

async function answer(child, type) {
  for (;;) {
    const [message] = await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(() => Promise.reject(new Error('a process of clients ended too early'))),
    ]);
    if (message.type === type) return message;
  }
}

function reportOf(results, { clients, messages, rate, env }) {
  const latencies = Float64Array.from(results.flatMap(({ latenciesMs }) => latenciesMs)).sort();
  const sum = (name) => results.reduce((total, result) => total + result[name], 0);
  return {
    clients,
    messages,
    missing: sum('missing'),
    doubled: sum('doubled'),
    outOfOrder: sum('outOfOrder'),
    seen: latencies.length,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    maxMs: quantile(latencies, 1),
    ratePerSecond: rate,
    processes: results.length,
    queue: env.KAFKA_BROKERS ? 'kafka' : 'postgres',
  };
}

function quantile(sorted, share) {
  if (sorted.length === 0) return null;
  const value = sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)];
  return Math.round(value * 10) / 10;
}

function textOf(report) {
  return `${report.clients} clients in ${report.processes} processes, ${report.messages} messages at ${report.ratePerSecond} a second, on ${report.queue}
  to be seen ${report.clients * report.messages}, seen ${report.seen}, missing ${report.missing}, doubled ${report.doubled}, out of order ${report.outOfOrder}
  typed to seen: p50 ${report.p50Ms} ms, p99 ${report.p99Ms} ms, slowest ${report.maxMs} ms
`;
}

async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), 20_000);
  await ended;
  clearTimeout(late);
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
