import { readFileSync } from 'node:fs';
import { Controller, Get, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { SandboxProblem } from '../problem.js';

const PUBLIC = new URL('../../public/', import.meta.url);
const TYPES: Readonly<Record<string, string>> = {
  'card-form.css': 'text/css; charset=utf-8',
  'card-form.js': 'text/javascript; charset=utf-8',
};

/** The form's style and script, read once. */
@Controller('assets')
export class AssetsController {
  private readonly bodies = new Map(Object.keys(TYPES).map((name) => [name, readFileSync(new URL(name, PUBLIC))]));

  @Get(':name')
  async asset(@Param('name') name: string, @Res() reply: FastifyReply): Promise<void> {
    const body = this.bodies.get(name);
    if (!body) throw new SandboxProblem('not_found', 'There is nothing at this address.');
    await reply
      .header('cache-control', 'public, max-age=300')
      .type(TYPES[name] ?? '')
      .send(body);
  }
}
