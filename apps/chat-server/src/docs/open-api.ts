import { serveOpenApi } from '@eticket/service/problems';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { PROBLEMS } from '../problems/problem.js';

const DESCRIPTION = `Join, speak and leave. What others say is read on the room's topic, not here.

Success bodies are \`{ "data": … }\`.`;

/** The OpenAPI document at `/docs-json`. */
export function addOpenApi(app: NestFastifyApplication): void {
  serveOpenApi(app, {
    title: 'Chat room',
    description: DESCRIPTION,
    kinds: PROBLEMS,
    tags: { room: 'Who is there, and what they say' },
    bearer: 'The `token` of a join.',
  });
}
