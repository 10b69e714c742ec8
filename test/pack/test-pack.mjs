/**
 * What `npm pack` makes of libs/queue, installed in an empty project: entries load without any optional peer, the command
 * runs, types compile, a program works, each entry loads with its peers.
 *
 *     npm run test:pack                        on the Node that runs it
 *     npm run test:pack -- /path/to/node       on another one; the package is made once
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../../', import.meta.url));
const nodes = process.argv.length > 2 ? process.argv.slice(2) : [process.execPath];
const run = promisify(execFile);
const { exports: entries } = JSON.parse(await readFile(join(root, 'libs/queue/package.json'), 'utf8'));

/** Linked from this repository rather than downloaded: what they are is not in question here. */
const PEERS = [
  '@nestjs/common',
  '@nestjs/core',
  '@nestjs/microservices',
  '@nestjs/terminus',
  '@opentelemetry/api',
  '@types/node',
  '@types/pg',
  'drizzle-orm',
  'kafkajs',
  'kysely',
  'pg',
  'prom-client',
  'reflect-metadata',
  'rxjs',
];
const NEED_NO_PEER = ['.', './memory', './testing', './environment', './contract-suite'];

const PROGRAM = `
import { Ackline, jsonMessage, readJson } from 'ackline';
import type { Delivery } from 'ackline';
import { driverFromEnvironment } from 'ackline/environment';
import { MemoryStore } from 'ackline/memory';

const ackline = new Ackline({ driver: new MemoryStore().driver() });
const handled = new Promise<unknown>((resolve) => {
  ackline.consume({ queue: 'orders', group: 'invoices' }, ({ message, deliveryCount }: Delivery) => {
    if (deliveryCount === 1) throw new Error('not yet');
    resolve(readJson(message));
  });
});
const [id] = await ackline.publish('orders', jsonMessage({ n: 1 }, { id: 'one' }));
const value = await handled;
await ackline.close();
if (id !== 'one' || JSON.stringify(value) !== '{"n":1}') throw new Error('not what was published');
await driverFromEnvironment({ DATABASE_URL: 'postgres://localhost/x' }).then(
  () => { throw new Error('there is no pg here'); },
  (error: Error) => { if (!error.message.includes('npm install pg')) throw error; },
);
console.log('works');
`;

const TYPED = `
import pg from 'pg';
import { Kysely, PostgresDialect } from 'kysely';
import { drizzle } from 'drizzle-orm/node-postgres';
import { Ackline, jsonMessage } from 'ackline';
import { kafkaDriver } from 'ackline/kafka';
import { QueueServer } from 'ackline/nest';
import { Outbox, OutboxRelay } from 'ackline/outbox';
import { postgresDriver } from 'ackline/postgres';

const pool = new pg.Pool();
const ackline = new Ackline({ driver: kafkaDriver({ brokers: ['localhost:9092'] }) });
const outbox = new Outbox({ driver: postgresDriver({ pool }), pool });
export const server = new QueueServer({ ackline, group: 'g' });
export const relay = new OutboxRelay({ pool, ackline });
export async function all(client: pg.PoolClient): Promise<readonly string[]> {
  await drizzle(pool).transaction((tx) => outbox.enqueue(tx, 'orders', jsonMessage(1)));
  const kysely = new Kysely<Record<string, never>>({ dialect: new PostgresDialect({ pool }) });
  await kysely.transaction().execute((tx) => outbox.enqueue(tx, 'orders', jsonMessage(1)));
  return outbox.enqueue(client, 'orders', [jsonMessage(1), jsonMessage(2)]);
}
// @ts-expect-error a queue needs a name
void ackline.publish(1, jsonMessage(1));
`;

const project = await mkdtemp(join(tmpdir(), 'ackline-pack-'));
const startedAt = performance.now();
try {
  await step('npm pack', async () => {
    const { stdout } = await npm(['pack', join(root, 'libs/queue'), '--ignore-scripts', '--json']);
    const [{ filename, files, size }] = JSON.parse(stdout);
    const odd = files.map(({ path }) => path).filter((path) => /\.spec\.|tsbuildinfo|^src\//.test(path));
    if (odd.length > 0) throw new Error(`the package holds ${odd.join(', ')}`);
    await write('package.json', JSON.stringify({ name: 'empty', private: true, type: 'module' }));
    await npm(['install', `./${filename}`, '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']);
    return `${files.length} files, ${Math.round(size / 1024)} KiB`;
  });

  await write('program.ts', PROGRAM);
  await write('typed.ts', TYPED);
  await write('load.mjs', 'for (const entry of process.argv.slice(2)) await import(entry);');
  await step('types of a program, with the library’s own checked too', async () => {
    await link('@types/node');
    await link('undici-types');
    await tsc(['program.ts', '--skipLibCheck', 'false']);
  });
  for (const node of nodes) {
    const { stdout: version } = await run(node, ['--version']);
    const on = `on Node ${version.trim()}`;
    await step(`entries without any peer, ${on}`, () =>
      run(node, ['load.mjs', ...specifiers(NEED_NO_PEER)], inProject()),
    );
    await step(`a program, ${on}`, async () => {
      const { stdout } = await run(node, ['program.js'], inProject());
      if (stdout !== 'works\n') throw new Error(stdout);
    });
    await step(`the command, ${on}`, async () => {
      const { stdout } = await run(node, [join(project, 'node_modules/.bin/ackline'), '--help'], inProject());
      if (!stdout.includes('dead-letters')) throw new Error(stdout);
    });
  }

  for (const peer of PEERS) await link(peer);
  await step('types with the peers', async () => {
    await tsc(['typed.ts', '--skipLibCheck', 'true', '--noEmit']);
    await tsc([
      'typed.ts',
      '--skipLibCheck',
      'true',
      '--noEmit',
      '--module',
      'esnext',
      '--moduleResolution',
      'bundler',
    ]);
  });
  for (const node of nodes) {
    const { stdout: version } = await run(node, ['--version']);
    await step(`every entry with its peers, on Node ${version.trim()}`, () =>
      run(node, ['load.mjs', ...specifiers(Object.keys(entries))], inProject()),
    );
  }
} finally {
  await rm(project, { recursive: true, force: true });
}
console.log(`The package works (${((performance.now() - startedAt) / 1000).toFixed(1)} s).`);

async function step(name, work) {
  try {
    const result = await work();
    console.log(`✓ ${name}${typeof result === 'string' ? `: ${result}` : ''}`);
  } catch (error) {
    console.error(`✗ ${name}\n${error.stdout ?? ''}${error.stderr ?? ''}${error.message}`);
    await rm(project, { recursive: true, force: true });
    process.exit(1);
  }
}

function inProject() {
  const { DATABASE_URL: _1, KAFKA_BROKERS: _2, NODE_OPTIONS: _3, ...env } = process.env;
  return { cwd: project, env, timeout: 120_000, maxBuffer: 16 * 1024 * 1024 };
}

function npm(args) {
  return run('npm', args, inProject());
}

function tsc(args) {
  const strict = ['--strict', '--exactOptionalPropertyTypes', '--target', 'es2022', '--types', 'node'];
  const nodeNext = args.includes('--module') ? [] : ['--module', 'nodenext'];
  return run(
    process.execPath,
    [join(root, 'node_modules/typescript/bin/tsc'), ...args, ...strict, ...nodeNext],
    inProject(),
  );
}

function specifiers(names) {
  return names.map((name) => `ackline${name.slice(1)}`);
}

function write(name, text) {
  return writeFile(join(project, name), text);
}

async function link(name) {
  const to = join(project, 'node_modules', name);
  await mkdir(dirname(to), { recursive: true });
  await symlink(join(root, 'node_modules', name), to).catch((error) => {
    if (error.code !== 'EEXIST') throw error;
  });
}
