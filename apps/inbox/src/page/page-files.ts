import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import type { FastifyInstance } from 'fastify';

/** Beside `src` and `dist`, so that it is found from either. */
const FOLDER = new URL('../../public/', import.meta.url);

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * Serves the page's files, each by a route of its own: no path of a request ever reaches the file system.
 * `@fastify/static` 10 would do it too, but needs Node 22.
 */
export async function addPageFiles(fastify: FastifyInstance): Promise<void> {
  for (const name of await readdir(FOLDER)) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    const content = await readFile(new URL(name, FOLDER));
    fastify.get(name === 'index.html' ? '/' : `/${name}`, (_request, reply) =>
      reply.type(type).header('cache-control', 'no-cache').send(content),
    );
  }
}
