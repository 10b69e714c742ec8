import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { PROBLEMS } from '../problems/problem.js';

const DESCRIPTION = `Join, speak and leave. What others say is read on the room's topic, not here.

Success bodies are \`{ "data": … }\`. Errors are \`application/problem+json\` (RFC 9457) with a \`code\`, the \`requestId\` and,
for bad fields, \`errors\` with JSON pointers:

| status | code | meaning |
|---|---|---|
${Object.entries(PROBLEMS)
  .map(([code, { status, title }]) => `| ${status} | \`${code}\` | ${title} |`)
  .join('\n')}`;

/** The OpenAPI document at `/docs-json`. */
export function addOpenApi(app: NestFastifyApplication): void {
  const config = new DocumentBuilder()
    .setTitle('Chat room')
    .setDescription(DESCRIPTION)
    .setVersion('1')
    .addTag('room', 'Who is there, and what they say')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'The `token` of a join.' })
    .build();
  // The page is DocsController's.
  SwaggerModule.setup('docs', app, () => SwaggerModule.createDocument(app, config), {
    ui: false,
    raw: ['json'],
    jsonDocumentUrl: 'docs-json',
  });
}
