import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, startEmbeddedPostgres } from '@eticket/service';

/** A real PostgreSQL from the npm package, thrown away at the end; TEST_DATABASE_URL names another one instead. */
export default async function startPostgres() {
  if (process.env.TEST_DATABASE_URL) return;
  const dataDir = await mkdtemp(join(tmpdir(), 'eticket-test-'));
  const server = await startEmbeddedPostgres({ dataDir, logger: createLogger({ service: 'test', level: 'warn' }) });
  globalThis.__testPostgres = { server, dataDir };
  process.env.TEST_DATABASE_URL = server.connectionString;
}
