import { ConfigurationError, readTracingSettings } from '../index.js';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example:4318' };

describe('The settings of traces', () => {
  it.each([
    ['nothing is set', {}],
    ['what compose passes on is empty', { OTEL_EXPORTER_OTLP_ENDPOINT: '', OTEL_TRACES_EXPORTER: '' }],
    ['the exporter is none', { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' }],
    ['the SDK is disabled', { ...ENDPOINT, OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }],
    ['there are only settings of what is off', { OTEL_SERVICE_NAME: 'x', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }],
  ])('leave them off when %s', (_when, env) => {
    expect(readTracingSettings(env)).toBeUndefined();
  });

  it('turn them on by an endpoint alone, with OpenTelemetry’s defaults', () => {
    expect(readTracingSettings(ENDPOINT)).toEqual({
      url: 'https://collector.example:4318/v1/traces',
      protocol: 'http/protobuf',
      headers: {},
      compression: 'none',
      timeoutMs: 10_000,
      serviceName: undefined,
      resource: {},
      sampler: 'parentbased_always_on',
      ratio: 1,
      batch: { delayMs: 5_000, exportTimeoutMs: 30_000, maxWaiting: 2_048, maxSize: 512 },
    });
    expect(readTracingSettings({ OTEL_TRACES_EXPORTER: 'otlp' })?.url).toBe('http://localhost:4318/v1/traces');
  });

  it('take those of traces before those of all signals, and an endpoint of traces as it is', () => {
    const settings = readTracingSettings({
      ...ENDPOINT,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://jaeger:4318/custom',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20hunter2,x-tenant=a',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-tenant=b',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: 'gzip',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test, team=mail',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
      OTEL_BSP_MAX_QUEUE_SIZE: '100',
    });
    expect(settings).toMatchObject({
      url: 'http://jaeger:4318/custom',
      headers: { authorization: 'Bearer hunter2', 'x-tenant': 'b' },
      protocol: 'http/json',
      compression: 'gzip',
      resource: { 'deployment.environment.name': 'test', team: 'mail' },
      sampler: 'parentbased_traceidratio',
      ratio: 0.25,
      batch: { maxWaiting: 100, maxSize: 100 },
    });
  });

  it.each([
    [{ OTEL_SDK_DISABLED: 'yes' }, 'OTEL_SDK_DISABLED is "yes"; it must be true or false'],
    [{ OTEL_TRACES_EXPORTER: 'jaeger' }, 'OTEL_TRACES_EXPORTER is "jaeger"; it must be one of otlp, none'],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' },
      'OTEL_EXPORTER_OTLP_ENDPOINT is not valid; it must be an address like http://127.0.0.1:4318',
    ],
    [
      { ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
      'OTEL_EXPORTER_OTLP_PROTOCOL is "grpc"; it must be one of http/protobuf, http/json',
    ],
    [{ ...ENDPOINT, OTEL_TRACES_SAMPLER: 'jaeger_remote' }, 'OTEL_TRACES_SAMPLER is "jaeger_remote"'],
    [{ ...ENDPOINT, OTEL_TRACES_SAMPLER_ARG: '25' }, 'it must be a number from 0 to 1'],
    [{ ...ENDPOINT, OTEL_RESOURCE_ATTRIBUTES: 'a' }, 'OTEL_RESOURCE_ATTRIBUTES is "a"; it must be key=value pairs'],
    [
      { ...ENDPOINT, OTEL_BSP_MAX_QUEUE_SIZE: '100', OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '200' },
      'it must not be more than OTEL_BSP_MAX_QUEUE_SIZE, 100',
    ],
  ])('refuse %j by name, and say what would be right', (env, message) => {
    expect(() => readTracingSettings(env)).toThrow(ConfigurationError);
    expect(() => readTracingSettings(env)).toThrow(message);
  });

  it('name all that are wrong, and repeat no header', () => {
    const read = () =>
      readTracingSettings({ ...ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS: 'hunter2', OTEL_BSP_SCHEDULE_DELAY: 'soon' });
    expect(read).toThrow(/OTEL_EXPORTER_OTLP_HEADERS is not valid[^]*OTEL_BSP_SCHEDULE_DELAY is "soon"/);
    expect(read).not.toThrow(/hunter2/);
  });
});
