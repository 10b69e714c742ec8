import { swaggerUiFile } from '@eticket/service/problems';
import { Controller, Get, Header, Param, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { PageRenderer } from '../pages/page-renderer.js';
import { ProblemError } from '../problems/problem.js';

/** Swagger UI on the OpenAPI document. */
@ApiExcludeController()
@Controller('docs')
export class DocsController {
  constructor(private readonly renderer: PageRenderer) {}

  @Get()
  @Header('content-type', 'text/html; charset=utf-8')
  page(): string {
    return this.renderer.docs();
  }

  @Get(':name')
  file(@Param('name') name: string, @Res() reply: FastifyReply): void {
    const found = swaggerUiFile(name);
    if (!found) throw new ProblemError('not_found', 'There is nothing at this address.');
    void reply.header('cache-control', 'public, max-age=3600').type(found.type).send(found.body);
  }
}
