export { openTelemetryTracing } from './open-telemetry-tracing.js';
export type { OpenTelemetryTracingOptions } from './open-telemetry-tracing.js';
