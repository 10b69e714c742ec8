import type { QueueDriver } from 'ackline';
// #region telemetry
import { Ackline } from 'ackline';
import { openTelemetryTracing } from 'ackline/opentelemetry';
import { observeBacklog, queueMetrics } from 'ackline/prometheus';
import { register } from 'prom-client';

export function observed(driver: QueueDriver): Ackline {
  const observer = queueMetrics({ registry: register });
  const ackline = new Ackline({ driver, observer, tracing: openTelemetryTracing() });
  observeBacklog({ registry: register, ackline });
  return ackline;
}
// #endregion
