import { ConfigurableModuleBuilder, Global, Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { HealthController } from './health.controller.js';
import { MetricsController } from './metrics.controller.js';
import { OPERATIONS_OPTIONS } from './operations-options.js';
import type { OperationsOptions } from './readiness.js';
import { ServiceMetrics } from './service-metrics.js';

const { ConfigurableModuleClass } = new ConfigurableModuleBuilder<OperationsOptions>({
  optionsInjectionToken: OPERATIONS_OPTIONS,
})
  .setClassMethodName('forRoot')
  .build();

/**
 * `GET /health/live`, `GET /health/ready` and `GET /metrics`. With a global prefix, exclude these three from it.
 * Provides {@link ServiceMetrics} to all modules.
 */
@Global()
@Module({
  imports: [TerminusModule.forRoot({ logger: false })],
  controllers: [HealthController, MetricsController],
  providers: [
    {
      provide: ServiceMetrics,
      inject: [OPERATIONS_OPTIONS],
      useFactory: (options: OperationsOptions) => options.metrics,
    },
  ],
  exports: [ServiceMetrics],
})
export class OperationsModule extends ConfigurableModuleClass {}
