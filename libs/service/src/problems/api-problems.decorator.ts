import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { isRetryable, problemType, type ProblemKinds } from './problem.js';
import type { ProblemBody } from './problem.dto.js';

export interface ApiProblemsOptions<Code extends string> {
  readonly kinds: ProblemKinds<Code>;
  /** The schema of the answers. */
  readonly body: Type<ProblemBody>;
  /** Members of the example of a code beside those that every problem has. */
  readonly example?: (code: Code) => Readonly<Record<string, unknown>>;
}

/** Makes an app's `@ApiProblems(…codes)`: it documents the problems that a call can answer with, an example for each. */
export function apiProblems<Code extends string>({ kinds, body, example }: ApiProblemsOptions<Code>) {
  const exampleOf = (code: Code): Record<string, unknown> => ({
    type: problemType(code),
    title: kinds[code].title,
    status: kinds[code].status,
    detail: `${kinds[code].title}.`,
    instance: '/api/…',
    code,
    requestId: 'a3c7c7b0-3a43-4c0b-9d51-7f8f5f3c7f55',
    ...example?.(code),
  });
  return (...codes: readonly Code[]): MethodDecorator & ClassDecorator =>
    applyDecorators(
      ApiExtraModels(body),
      ...[...byStatus(codes, kinds)].map(([status, ofStatus]) =>
        ApiResponse({
          status,
          description: ofStatus.map((code) => `\`${code}\`: ${kinds[code].title}.`).join('\n\n'),
          ...(ofStatus.some((code) => isRetryable(kinds[code])) && { headers: RETRY_AFTER }),
          content: {
            'application/problem+json': {
              schema: { $ref: getSchemaPath(body) },
              examples: Object.fromEntries(ofStatus.map((code) => [code, { value: exampleOf(code) }])),
            },
          },
        }),
      ),
    );
}

const RETRY_AFTER = { 'Retry-After': { description: 'Seconds.', schema: { type: 'integer' } } } as const;

function byStatus<Code extends string>(codes: readonly Code[], kinds: ProblemKinds<Code>): Map<number, Code[]> {
  const groups = new Map<number, Code[]>();
  for (const code of codes) {
    const { status } = kinds[code];
    groups.set(status, [...(groups.get(status) ?? []), code]);
  }
  return groups;
}
