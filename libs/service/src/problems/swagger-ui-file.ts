import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** A file of Swagger UI, as it is sent. */
export interface SwaggerUiFile {
  readonly type: string;
  readonly body: Buffer;
}

const TYPES: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};
const read = new Map<string, Buffer>();

/**
 * A file that an API's documentation page needs, or undefined. `SwaggerModule` could serve it too, with
 * `@fastify/static` 10, which needs Node 22 and puts its settings inline, where a content security policy forbids them.
 */
export function swaggerUiFile(name: string): SwaggerUiFile | undefined {
  const type = Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
  if (type === undefined) return undefined;
  // A megabyte and a half: read when somebody looks at the documentation for the first time.
  const body = read.get(name) ?? readFileSync(createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`));
  read.set(name, body);
  return { type, body };
}
