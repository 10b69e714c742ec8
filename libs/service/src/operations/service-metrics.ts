import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { QueueObserver } from 'ackline';
import { queueMetrics } from 'ackline/prometheus';

/** Seconds. From a cached page to a booking that waits for a payment gateway. */
const HTTP_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** One answered request. */
export interface HttpRequestObservation {
  readonly method: string;
  /** The route's pattern, never the path: paths hold ids and would make endless series. */
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
}

/** The metrics of one service, in a registry of its own: several services can live in one process. */
export class ServiceMetrics {
  readonly registry = new Registry();
  private readonly httpRequests: Counter<'method' | 'route' | 'status'>;
  private readonly httpDuration: Histogram<'method' | 'route'>;
  private observer: QueueObserver | undefined;

  constructor(options: { readonly service?: string } = {}) {
    if (options.service) this.registry.setDefaultLabels({ service: options.service });
    collectDefaultMetrics({ register: this.registry });
    this.httpRequests = this.counter('http_requests_total', 'HTTP requests answered.', ['method', 'route', 'status']);
    this.httpDuration = this.histogram(
      'http_request_duration_seconds',
      'Time to answer HTTP requests.',
      ['method', 'route'],
      HTTP_BUCKETS,
    );
  }

  observeHttpRequest({ method, route, status, seconds }: HttpRequestObservation): void {
    this.httpRequests.inc({ method, route, status });
    this.httpDuration.observe({ method, route }, seconds);
  }

  /** Counts what the queue's engine tells; pass it as `observer` to `Ackline`. The same one each time. */
  observeQueue(): QueueObserver {
    return (this.observer ??= queueMetrics(this));
  }

  counter<L extends string = never>(name: string, help: string, labelNames: readonly L[] = []): Counter<L> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  /** `collect` is called for each scrape and sets the gauge; should it throw, the scrape goes on without it. */
  gauge<L extends string = never>(
    name: string,
    help: string,
    labelNames: readonly L[] = [],
    collect?: (gauge: Gauge<L>) => Promise<void> | void,
  ): Gauge<L> {
    return new Gauge({
      name,
      help,
      labelNames,
      registers: [this.registry],
      ...(collect && {
        async collect(this: Gauge<L>): Promise<void> {
          try {
            await collect(this);
          } catch {
            // Away, as the readiness check says: an old value would look like a live one.
            this.reset();
          }
        },
      }),
    });
  }

  histogram<L extends string = never>(
    name: string,
    help: string,
    labelNames: readonly L[] = [],
    buckets: readonly number[] = HTTP_BUCKETS,
  ): Histogram<L> {
    return new Histogram({ name, help, labelNames, buckets: [...buckets], registers: [this.registry] });
  }
}
