import { rm } from 'node:fs/promises';

export default async function stopPostgres() {
  if (!globalThis.__testPostgres) return;
  const { server, folder } = globalThis.__testPostgres;
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}
