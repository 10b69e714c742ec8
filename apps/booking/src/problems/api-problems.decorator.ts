import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { ProblemDto } from './problem.dto.js';
import { PROBLEMS, type ProblemCode } from './problem.js';

/** Documents the problems that a call can answer with, an example for each. */
export function ApiProblems(...codes: readonly ProblemCode[]): MethodDecorator & ClassDecorator {
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
        ...(status === 503 || status === 429 || ofStatus.includes('request_in_progress')
          ? { headers: { 'Retry-After': { description: 'Seconds.', schema: { type: 'integer' } } } }
          : {}),
        content: {
          'application/problem+json': {
            schema: { $ref: getSchemaPath(ProblemDto) },
            examples: Object.fromEntries(ofStatus.map((code) => [code, { value: exampleOf(code) }])),
          },
        },
      }),
    ),
  );
}

function exampleOf(code: ProblemCode): Record<string, unknown> {
  const { status, title } = PROBLEMS[code];
  return {
    type: problemType(code),
    title,
    status,
    detail: `${title}.`,
    instance: '/api/…',
    code,
    requestId: 'a3c7c7b0-3a43-4c0b-9d51-7f8f5f3c7f55',
    ...(code === 'validation_error' && {
      errors: [
        { pointer: '/passengers/0/bornOn', code: 'wrong_age', message: 'an adult is 12 or older on every flight' },
      ],
    }),
    ...(code === 'payment_declined' && { declineCode: 'insufficient_funds' }),
  };
}

/** A URI reference that identifies the kind of problem; the API's documentation lists them. */
export function problemType(code: ProblemCode): string {
  return `/docs#${code}`;
}
