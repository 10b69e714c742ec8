import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import type { ProblemKinds } from './problem.js';

export interface OpenApiOptions {
  readonly title: string;
  /** Markdown. What holds for errors is added. */
  readonly description: string;
  readonly kinds: ProblemKinds;
  /** What each tag is about. */
  readonly tags: Readonly<Record<string, string>>;
  /** What the bearer token is. */
  readonly bearer: string;
}

/** The OpenAPI document at `/docs-json`. The page on it is the app's: see `swaggerUiFile`. */
export function serveOpenApi(app: NestFastifyApplication, options: OpenApiOptions): void {
  const builder = new DocumentBuilder()
    .setTitle(options.title)
    .setDescription(`${options.description}\n\n${aboutErrors(options.kinds)}`)
    .setVersion('1')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: options.bearer });
  for (const [name, about] of Object.entries(options.tags)) builder.addTag(name, about);
  const config = builder.build();
  SwaggerModule.setup('docs', app, () => SwaggerModule.createDocument(app, config), {
    ui: false,
    raw: ['json'],
    jsonDocumentUrl: 'docs-json',
  });
}

function aboutErrors(kinds: ProblemKinds): string {
  const rows = Object.entries(kinds)
    .sort(([, one], [, other]) => one.status - other.status)
    .map(([code, { status, title }]) => `| ${status} | \`${code}\` | ${title} |`);
  return `Errors are \`application/problem+json\` (RFC 9457) with a \`code\`, the \`requestId\` and, for bad fields, \`errors\` with JSON pointers:

| status | code | meaning |
|---|---|---|
${rows.join('\n')}`;
}
