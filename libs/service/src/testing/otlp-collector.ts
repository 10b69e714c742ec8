import { createServer } from 'node:http';
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A span as it came over OTLP. */
export interface CollectedSpan {
  /** `service.name`. */
  readonly service: string;
  readonly name: string;
  /** OTLP's numbers: 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  /** Whether its status is "error". */
  readonly failed: boolean;
}

interface OtlpAttribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}
interface OtlpSpan extends Omit<CollectedSpan, 'service' | 'attributes' | 'links' | 'failed'> {
  readonly attributes: readonly OtlpAttribute[];
  readonly links?: CollectedSpan['links'];
  readonly status?: { readonly code?: number };
}
interface OtlpRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

const STATUS_ERROR = 2;

/** An OpenTelemetry collector that takes OTLP as JSON over HTTP and remembers everything. */
export class OtlpCollector {
  readonly spans: CollectedSpan[] = [];
  /** Everything that was sent, as text: to look for what must not be in it. */
  received = '';
  requests = 0;
  /** What it answers: a status, or nothing until it stops. */
  answer: number | 'nothing' = 200;
  readonly #unanswered: ServerResponse[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      this.requests += 1;
      const { answer } = this;
      if (answer === 'nothing') return void this.#unanswered.push(response);
      void text(request).then((body) => {
        if (answer === 200) this.#take(body);
        end(response, answer);
      });
    });
  }

  static async start(): Promise<OtlpCollector> {
    const collector = new OtlpCollector();
    await new Promise<void>((resolve) => collector.#server.listen(0, '127.0.0.1', resolve));
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The variables by which a service sends its spans here, soon. */
  get env(): Readonly<Record<string, string>> {
    return {
      OTEL_EXPORTER_OTLP_ENDPOINT: this.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_TIMEOUT: '500',
      OTEL_BSP_SCHEDULE_DELAY: '50',
    };
  }

  named(name: string): readonly CollectedSpan[] {
    return this.spans.filter((span) => span.name === name);
  }

  /** The only span of the name. @throws when there is none, or several. */
  the(name: string): CollectedSpan {
    const [span, ...more] = this.named(name);
    if (!span || more.length > 0) throw new Error(`${more.length + (span ? 1 : 0)} spans are named ${name}`);
    return span;
  }

  async stop(): Promise<void> {
    // Final, so that nobody tries again.
    for (const response of this.#unanswered) end(response, 400);
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #take(body: string): void {
    this.received += body;
    for (const { resource, scopeSpans } of (JSON.parse(body) as OtlpRequest).resourceSpans) {
      const service = String(valuesOf(resource.attributes)['service.name']);
      const spans = scopeSpans.flatMap((scope) => scope.spans);
      this.spans.push(...spans.map((span) => collected(service, span)));
    }
  }
}

function end(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' }).end('{}');
}

function collected(
  service: string,
  { attributes, links = [], status, parentSpanId, ...span }: OtlpSpan,
): CollectedSpan {
  return {
    service,
    name: span.name,
    kind: span.kind,
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: parentSpanId || undefined,
    attributes: valuesOf(attributes),
    links,
    failed: status?.code === STATUS_ERROR,
  };
}

function valuesOf(attributes: readonly OtlpAttribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
