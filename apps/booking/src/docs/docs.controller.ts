import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Controller, Get, Header, Param, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { PageRenderer } from '../pages/page-renderer.js';
import { ProblemError } from '../problems/problem.js';

const FILES: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};

/**
 * Swagger UI on the OpenAPI document. `SwaggerModule` could serve it too, with `@fastify/static` 10, which needs
 * Node 22 and puts its settings inline, where the content security policy forbids them.
 */
@ApiExcludeController()
@Controller('docs')
export class DocsController {
  private readonly resolve = createRequire(import.meta.url).resolve;
  private readonly files = new Map<string, Buffer>();

  constructor(private readonly renderer: PageRenderer) {}

  @Get()
  @Header('content-type', 'text/html; charset=utf-8')
  page(): string {
    return this.renderer.docs();
  }

  @Get(':name')
  file(@Param('name') name: string, @Res() reply: FastifyReply): void {
    const type = Object.hasOwn(FILES, name) ? FILES[name] : undefined;
    if (type === undefined) throw new ProblemError('not_found', 'There is nothing at this address.');
    // A megabyte and a half: read when somebody looks at the documentation for the first time.
    const body = this.files.get(name) ?? readFileSync(this.resolve(`swagger-ui-dist/${name}`));
    this.files.set(name, body);
    void reply.header('cache-control', 'public, max-age=3600').type(type).send(body);
  }
}
