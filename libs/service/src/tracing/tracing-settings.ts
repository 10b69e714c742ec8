import { ConfigurationError } from '../environment/configuration-error.js';
import { readEnvironment, SettingError } from '../environment/read-environment.js';
import { integer, makeValidator, str } from '../environment/settings.js';

const PROTOCOLS = ['http/protobuf', 'http/json'] as const;
const COMPRESSIONS = ['none', 'gzip'] as const;
const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** Where and how spans are sent, by OpenTelemetry's own variables; see docs/telemetry.md. */
export interface TracingSettings {
  /** Takes OTLP over HTTP. */
  readonly url: string;
  readonly protocol: (typeof PROTOCOLS)[number];
  /** Of each export; may hold credentials. */
  readonly headers: Readonly<Record<string, string>>;
  readonly compression: (typeof COMPRESSIONS)[number];
  /** Of one export, repeats included. */
  readonly timeoutMs: number;
  readonly serviceName: string | undefined;
  /** Of the process, on every span. */
  readonly resource: Readonly<Record<string, string>>;
  readonly sampler: (typeof SAMPLERS)[number];
  /** For samplers that keep a part: 0 to 1. */
  readonly ratio: number;
  readonly batch: {
    readonly delayMs: number;
    readonly exportTimeoutMs: number;
    /** Spans beyond are dropped. */
    readonly maxWaiting: number;
    readonly maxSize: number;
  };
}

const DEFAULT_ENDPOINT = 'http://localhost:4318';

const otlpUrl = makeValidator<string>((input) => {
  if (!URL.canParse(input) || !/^https?:\/\/[^/]/.test(input)) {
    throw new SettingError('an address like http://127.0.0.1:4318');
  }
  return input;
});

const trueOrFalse = makeValidator<boolean>((input) => {
  const value = input.toLowerCase();
  if (value !== 'true' && value !== 'false') throw new SettingError('true or false');
  return value === 'true';
});

const fraction = makeValidator<number>((input) => {
  const value = Number(input);
  if (input.trim() === '' || !(value >= 0 && value <= 1)) throw new SettingError('a number from 0 to 1');
  return value;
});

/** `key=value,key=value`, percent-encoded (W3C Baggage, as OpenTelemetry's variables are). */
const pairs = makeValidator<Readonly<Record<string, string>>>((input) => {
  const entries = input.split(',').filter((pair) => pair.trim() !== '');
  try {
    return Object.fromEntries(
      entries.map((pair) => {
        const [, key, value] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
        if (key === undefined || value === undefined) throw new TypeError('no key=value');
        return [decodeURIComponent(key), decodeURIComponent(value)];
      }),
    );
  } catch {
    throw new SettingError('key=value pairs with commas between them, percent-encoded');
  }
});

const count = integer({ min: 1, max: 1_000_000 });
const time = integer({ min: 1, max: 600_000 });
const oneOf = <Value extends string>(choices: readonly Value[]) => str({ choices: [...choices], default: undefined });

/** Those of the exporter are there twice: for all signals, and for traces, which win. */
const SETTINGS = {
  OTEL_EXPORTER_OTLP_ENDPOINT: otlpUrl({ default: undefined }),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: otlpUrl({ default: undefined }),
  OTEL_EXPORTER_OTLP_PROTOCOL: oneOf(PROTOCOLS),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: oneOf(PROTOCOLS),
  OTEL_EXPORTER_OTLP_HEADERS: pairs({ default: undefined }),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: pairs({ default: undefined }),
  OTEL_EXPORTER_OTLP_COMPRESSION: oneOf(COMPRESSIONS),
  OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: oneOf(COMPRESSIONS),
  OTEL_EXPORTER_OTLP_TIMEOUT: time({ default: undefined }),
  OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: time({ default: undefined }),
  OTEL_SERVICE_NAME: str({ default: undefined }),
  OTEL_RESOURCE_ATTRIBUTES: pairs({ default: undefined }),
  OTEL_TRACES_SAMPLER: str({ choices: [...SAMPLERS], default: 'parentbased_always_on' }),
  OTEL_TRACES_SAMPLER_ARG: fraction({ default: 1 }),
  OTEL_BSP_SCHEDULE_DELAY: time({ default: 5_000 }),
  OTEL_BSP_EXPORT_TIMEOUT: time({ default: 30_000 }),
  OTEL_BSP_MAX_QUEUE_SIZE: count({ default: 2_048 }),
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: count({ default: undefined }),
};

const MOST_IN_A_BATCH = 512;

/**
 * Where spans go; undefined when traces are off: neither an endpoint nor `OTEL_TRACES_EXPORTER=otlp` is set, or
 * `OTEL_TRACES_EXPORTER=none` or `OTEL_SDK_DISABLED=true` is. What is off is not checked.
 * @throws ConfigurationError that names every bad variable, and repeats no header.
 */
export function readTracingSettings(env: NodeJS.ProcessEnv = process.env): TracingSettings | undefined {
  const { OTEL_SDK_DISABLED: isDisabled } = readEnvironment(
    { OTEL_SDK_DISABLED: trueOrFalse({ default: false }) },
    env,
  );
  if (isDisabled) return undefined;
  const exporters = { OTEL_TRACES_EXPORTER: str({ choices: ['otlp', 'none'], default: undefined }) };
  const { OTEL_TRACES_EXPORTER: exporter } = readEnvironment(exporters, env);
  const hasEndpoint = Boolean(env['OTEL_EXPORTER_OTLP_ENDPOINT'] || env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']);
  if (exporter === 'none' || (exporter === undefined && !hasEndpoint)) return undefined;

  const read = readEnvironment(SETTINGS, env);
  const maxWaiting = read.OTEL_BSP_MAX_QUEUE_SIZE;
  const maxSize = read.OTEL_BSP_MAX_EXPORT_BATCH_SIZE ?? Math.min(MOST_IN_A_BATCH, maxWaiting);
  if (maxSize > maxWaiting) {
    throw new ConfigurationError([
      `OTEL_BSP_MAX_EXPORT_BATCH_SIZE is ${maxSize}; it must not be more than OTEL_BSP_MAX_QUEUE_SIZE, ${maxWaiting}`,
    ]);
  }
  return {
    url: read.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? tracesUrl(read.OTEL_EXPORTER_OTLP_ENDPOINT ?? DEFAULT_ENDPOINT),
    protocol: read.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? read.OTEL_EXPORTER_OTLP_PROTOCOL ?? 'http/protobuf',
    headers: { ...read.OTEL_EXPORTER_OTLP_HEADERS, ...read.OTEL_EXPORTER_OTLP_TRACES_HEADERS },
    compression: read.OTEL_EXPORTER_OTLP_TRACES_COMPRESSION ?? read.OTEL_EXPORTER_OTLP_COMPRESSION ?? 'none',
    timeoutMs: read.OTEL_EXPORTER_OTLP_TRACES_TIMEOUT ?? read.OTEL_EXPORTER_OTLP_TIMEOUT ?? 10_000,
    serviceName: read.OTEL_SERVICE_NAME,
    resource: read.OTEL_RESOURCE_ATTRIBUTES ?? {},
    sampler: read.OTEL_TRACES_SAMPLER,
    ratio: read.OTEL_TRACES_SAMPLER_ARG,
    batch: {
      delayMs: read.OTEL_BSP_SCHEDULE_DELAY,
      exportTimeoutMs: read.OTEL_BSP_EXPORT_TIMEOUT,
      maxWaiting,
      maxSize,
    },
  };
}

/** An endpoint for all signals is a base; one for traces is taken as it is. */
function tracesUrl(endpoint: string): string {
  const url = new URL(endpoint);
  url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/traces`;
  return url.href;
}
