import {
  Controller,
  Get,
  Inject,
  Res,
  ServiceUnavailableException,
  type BeforeApplicationShutdown,
} from '@nestjs/common';
import { HealthCheckService, HealthIndicatorService, type HealthCheckResult } from '@nestjs/terminus';
import type { FastifyReply } from 'fastify';
import { OPERATIONS_OPTIONS } from './operations-options.js';
import type { OperationsOptions, ReadinessCheck } from './readiness.js';

const DEFAULT_DEADLINE_MS = 2_000;

/** Answers go out as they are: no filter or interceptor of the app wraps what a probe reads. */
@Controller('health')
export class HealthController implements BeforeApplicationShutdown {
  private stopping = false;

  constructor(
    @Inject(OPERATIONS_OPTIONS) private readonly options: OperationsOptions,
    private readonly health: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
  ) {}

  beforeApplicationShutdown(): void {
    this.stopping = true;
  }

  /** The process runs and its event loop turns; asks nobody else, so that a database outage restarts no one. */
  @Get('live')
  async live(@Res() reply: FastifyReply): Promise<void> {
    await reply.header('cache-control', 'no-store').send({ status: 'ok' });
  }

  /** 200 when every check passes, else 503; `error` lists what is not ready and why. */
  @Get('ready')
  async ready(@Res() reply: FastifyReply): Promise<void> {
    const result = await this.checkAll();
    const ready = result.status === 'ok' || result.status === 'degraded';
    await reply
      .code(ready ? 200 : 503)
      .header('cache-control', 'no-store')
      .send(result);
  }

  private async checkAll(): Promise<HealthCheckResult> {
    try {
      const checks = this.options.readiness.map((check) => () => this.run(check));
      const stopping = () => this.indicators.check('shutdown').down('the service is stopping');
      return await this.health.check(this.stopping ? [stopping] : checks);
    } catch (error) {
      if (error instanceof ServiceUnavailableException) return error.getResponse() as HealthCheckResult;
      throw error;
    }
  }

  private run(check: ReadinessCheck) {
    return Promise.resolve(
      this.indicators
        .check(check.name)
        .attempt(({ signal }) => check.check(signal))
        .withTimeout(check.deadlineMs ?? DEFAULT_DEADLINE_MS),
    );
  }
}
