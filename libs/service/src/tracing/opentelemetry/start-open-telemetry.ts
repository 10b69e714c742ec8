import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { defaultResource, resourceFromAttributes, type Resource } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
  type SpanExporter,
} from '@opentelemetry/sdk-trace';
import type { ServiceTracing, StartTracingOptions } from '../service-tracing.js';
import type { TracingSettings } from '../tracing-settings.js';
import { OpenTelemetryServiceTracing } from './open-telemetry-service-tracing.js';
import { TellingExporter } from './telling-exporter.js';

/**
 * A provider of the service's own rather than the global one: `npm start` runs several services in one process, each with
 * its own name in the traces.
 */
export async function startOpenTelemetry(
  settings: TracingSettings,
  { service, logger }: StartTracingOptions,
): Promise<ServiceTracing> {
  const { origin, pathname } = new URL(settings.url);
  const exporter = new TellingExporter(await openExporter(settings), origin + pathname, logger);
  const { delayMs, exportTimeoutMs, maxWaiting, maxSize } = settings.batch;
  const provider = new TracerProvider({
    resource: resourceOf(settings, service),
    sampler: samplerOf(settings),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        scheduledDelayMillis: delayMs,
        exportTimeoutMillis: exportTimeoutMs,
        maxQueueSize: maxWaiting,
        maxExportBatchSize: maxSize,
      }),
    ],
  });
  // One for the process. Where there is one already, of another service, this is refused and that one serves.
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  logger.info({ endpoint: origin + pathname, sampler: settings.sampler }, 'traces are on');
  return new OpenTelemetryServiceTracing(provider, exporter);
}

async function openExporter({
  url,
  protocol,
  headers,
  timeoutMs,
  compression,
}: TracingSettings): Promise<SpanExporter> {
  const { OTLPTraceExporter } =
    protocol === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto');
  type Options = NonNullable<ConstructorParameters<typeof OTLPTraceExporter>[0]>;
  return new OTLPTraceExporter({
    url,
    headers: { ...headers },
    timeoutMillis: timeoutMs,
    compression: compression as NonNullable<Options['compression']>,
  });
}

function resourceOf({ resource, serviceName }: TracingSettings, service: string): Resource {
  return defaultResource().merge(
    resourceFromAttributes({
      'service.name': service,
      'service.instance.id': randomUUID(),
      'host.name': hostname(),
      'process.pid': process.pid,
      ...resource,
      ...(serviceName !== undefined && { 'service.name': serviceName }),
    }),
  );
}

function samplerOf({ sampler, ratio }: TracingSettings): Sampler {
  const root = sampler.endsWith('always_off')
    ? new AlwaysOffSampler()
    : sampler.endsWith('traceidratio')
      ? new TraceIdRatioBasedSampler(ratio)
      : new AlwaysOnSampler();
  return sampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}
