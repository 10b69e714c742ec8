import { readFileSync } from 'node:fs';
import { Controller, Get, Param, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ProblemError } from '../problems/problem.js';

const PUBLIC = new URL('../../public/', import.meta.url);

const TYPES = {
  'pages.css': 'text/css; charset=utf-8',
  'airports.js': 'text/javascript; charset=utf-8',
  'confirmation.js': 'text/javascript; charset=utf-8',
  'forms.js': 'text/javascript; charset=utf-8',
  'demo.js': 'text/javascript; charset=utf-8',
  'payment.js': 'text/javascript; charset=utf-8',
  'docs.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
} as const;

/** The pages' style, scripts and icon: few and small, read once. */
@ApiExcludeController()
@Controller('assets')
export class AssetsController {
  private readonly assets = new Map(
    Object.entries(TYPES).map(([name, type]) => [name, { type, body: readFileSync(new URL(name, PUBLIC)) }]),
  );

  @Get(':name')
  asset(@Param('name') name: string, @Res() reply: FastifyReply): void {
    const asset = this.assets.get(name);
    if (!asset) throw new ProblemError('not_found', 'There is nothing at this address.');
    void reply.header('cache-control', 'public, max-age=300').type(asset.type).send(asset.body);
  }
}
