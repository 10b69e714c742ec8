import { swaggerUiFile } from '@eticket/service/problems';
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
const SCRIPT = 'text/javascript; charset=utf-8';

/** Swagger UI on the OpenAPI document. */
@ApiExcludeController()
@Controller('docs')
export class DocsController {
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
    const found = swaggerUiFile(name);
    if (!found) throw new ProblemError('not_found', 'There is nothing at this address.');
    void reply.header('cache-control', 'public, max-age=3600').type(found.type).send(found.body);
  }
}
