import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ServiceMetrics } from './service-metrics.js';

@Controller('metrics')
export class MetricsController {
  constructor(private readonly metrics: ServiceMetrics) {}

  /** Sent as it is: no filter or interceptor of the app wraps what a scraper reads. */
  @Get()
  async read(@Res() reply: FastifyReply): Promise<void> {
    await reply
      .header('content-type', this.metrics.registry.contentType)
      .header('cache-control', 'no-store')
      .send(await this.metrics.registry.metrics());
  }
}
