import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { PROBLEMS } from '../problems/problem.js';

const DESCRIPTION = `Search, select and book flights of a made-up timetable.

Success bodies are \`{ "data": … }\`. Money is a decimal string plus ISO 4217 code; times carry the airport's own offset.
Errors are \`application/problem+json\` (RFC 9457) with a \`code\`, the \`requestId\` and, for bad fields, \`errors\` with JSON pointers:

| status | code | meaning |
|---|---|---|
${Object.entries(PROBLEMS)
  .map(([code, { status, title }]) => `| ${status} | \`${code}\` | ${title} |`)
  .join('\n')}`;

/** The OpenAPI document at `/docs-json`. */
export function addOpenApi(app: NestFastifyApplication): void {
  const config = new DocumentBuilder()
    .setTitle('Booking')
    .setDescription(DESCRIPTION)
    .setVersion('1')
    .addTag('offers', 'What can be booked')
    .addTag('bookings', 'What has been booked')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'The `accessToken` of a booking.' })
    .build();
  // The page is DocsController's.
  SwaggerModule.setup('docs', app, () => SwaggerModule.createDocument(app, config), {
    ui: false,
    raw: ['json'],
    jsonDocumentUrl: 'docs-json',
  });
}
