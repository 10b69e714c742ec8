import { frameworkProblem, sendProblem } from '@eticket/service/problems';
import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Logger } from '@eticket/service';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SandboxProblem } from './problem.js';

/** Answers every error as problem details. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly logger: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const [request, reply] = [http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>()];
    const known = frameworkProblem(error);
    const problem =
      error instanceof SandboxProblem
        ? error
        : known
          ? new SandboxProblem(...known)
          : new SandboxProblem('internal_error', 'Ask again with the same Idempotency-Key.', { cause: error });
    if (problem.code === 'internal_error') this.logger.error({ err: error }, 'unforeseen error');
    if (!reply.sent) sendProblem(problem, request, reply);
  }
}
