import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Controller, Get, Header, Param, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ProblemError } from '../problems/problem.js';

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Chat room: API</title>
<link rel="stylesheet" href="docs/swagger-ui.css">
<div id="api"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
`;
const START = `SwaggerUIBundle({ url: 'docs-json', dom_id: '#api' });\n`;
const CSS = 'text/css; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';

/**
 * Swagger UI on the OpenAPI document. `SwaggerModule` could serve it too, with `@fastify/static` 10, which needs
 * Node 22.
 */
@ApiExcludeController()
@Controller('docs')
export class DocsController {
  private readonly resolve = createRequire(import.meta.url).resolve;

  @Get()
  @Header('content-type', 'text/html; charset=utf-8')
  page(): string {
    return PAGE;
  }

  @Get('start.js')
  @Header('content-type', SCRIPT)
  start(): string {
    return START;
  }

  @Get(':name')
  file(@Param('name') name: string, @Res() reply: FastifyReply): void {
    if (name !== 'swagger-ui.css' && name !== 'swagger-ui-bundle.js') {
      throw new ProblemError('not_found', 'There is nothing at this address.');
    }
    const body = readFileSync(this.resolve(`swagger-ui-dist/${name}`));
    void reply
      .header('cache-control', 'public, max-age=3600')
      .type(name.endsWith('.css') ? CSS : SCRIPT)
      .send(body);
  }
}
