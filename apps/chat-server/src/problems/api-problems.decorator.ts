import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { ProblemDto } from './problem.dto.js';
import { PROBLEMS, type ProblemCode } from './problem.js';

/** Documents the problems that a call can answer with. */
export function ApiProblems(...codes: readonly ProblemCode[]): MethodDecorator {
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of codes) {
    const { status } = PROBLEMS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return applyDecorators(
    ApiExtraModels(ProblemDto),
    ...[...byStatus].map(([status, ofStatus]) =>
      ApiResponse({
        status,
        description: ofStatus.map((code) => `\`${code}\`: ${PROBLEMS[code].title}.`).join('\n\n'),
        content: { 'application/problem+json': { schema: { $ref: getSchemaPath(ProblemDto) } } },
      }),
    ),
  );
}
