import { HttpException } from '@nestjs/common';
import type { CommonProblemCode } from './problem.js';

type Found = readonly [code: CommonProblemCode, detail: string];

/** What an error of Fastify's or Nest's own says about the request; undefined when the request is not to blame. */
export function frameworkProblem(error: unknown): Found | undefined {
  const status = statusOf(error);
  if (status === undefined || status < 400 || status >= 500) return undefined;
  return KNOWN[status]?.(error) ?? NOT_UNDERSTOOD;
}

function statusOf(error: unknown): number | undefined {
  if (error instanceof HttpException) return error.getStatus();
  const status = (error as { readonly statusCode?: unknown } | null)?.statusCode;
  return typeof status === 'number' ? status : undefined;
}

const NOT_UNDERSTOOD: Found = ['bad_request', 'The request cannot be understood.'];

const KNOWN: Readonly<Record<number, ((error: unknown) => Found) | undefined>> = {
  400: (error) =>
    /JSON|__proto__|Body|prototype/i.test(error instanceof Error ? error.message : '')
      ? ['unreadable_json', 'The body is not readable JSON.']
      : NOT_UNDERSTOOD,
  404: () => ['not_found', 'There is nothing at this address.'],
  413: () => ['payload_too_large', 'The body is larger than 64 KiB.'],
  415: () => ['unsupported_media_type', 'Send the body as application/json.'],
};
