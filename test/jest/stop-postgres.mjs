import { rm } from 'node:fs/promises';

export default async function stopPostgres() {
  if (!globalThis.__testPostgres) return;
  const { server, dataDir } = globalThis.__testPostgres;
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
}
