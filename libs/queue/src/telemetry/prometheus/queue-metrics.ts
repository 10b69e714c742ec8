import { Counter, Gauge, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';
import type { QueueEvent, QueueObserver } from '../../observer.js';

/** Where {@link queueMetrics} puts its metrics. */
export interface QueueMetricsOptions {
  /** Where the metrics are registered: `prom-client`'s `register`, or one of your own. */
  readonly registry: Registry;
}

/** Seconds from a delivery to its durable settlement. */
const HANDLING_BUCKETS = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300];

/**
 * An observer for `Ackline` that counts what the queue does. Names and labels are stable: a change of one is a major
 * version. Labels hold names and bounded codes, never ids. Make one a registry.
 *
 * | metric | labels |
 * |---|---|
 * | `queue_messages_published_total` | queue |
 * | `queue_messages_delivered_total`, `queue_messages_redelivered_total` (those after the first) | queue, group |
 * | `queue_messages_acked_total` | queue, group |
 * | `queue_messages_nacked_total` | queue, group, error_code |
 * | `queue_messages_dead_lettered_total` | queue, group, error_code, reason |
 * | `queue_messages_released_total` (given back, not counted as a delivery) | queue, group, error_code |
 * | `queue_leases_lost_total` | queue, group |
 * | `queue_dead_letters_redriven_total`, `queue_dead_letters_discarded_total` (by operators) | queue, group |
 * | `queue_line_stopped` (gauge: 1 while a worker takes nothing) | queue, group |
 * | `queue_unavailable_total` (calls that the store did not answer) | queue, during |
 * | `queue_tail_handler_failures_total` | queue |
 * | `queue_handling_duration_seconds` (histogram: delivery to durable ack) | queue, group |
 *
 * @example
 * const ackline = new Ackline({ driver, observer: queueMetrics({ registry: register }) });
 */
export function queueMetrics({ registry }: QueueMetricsOptions): QueueObserver {
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[]): Counter<L> =>
    new Counter({ name, help, labelNames, registers: [registry] });
  const of = ['queue', 'group'] as const;
  const withCode = [...of, 'error_code'] as const;
  const published = counter('queue_messages_published_total', 'Messages stored durably.', ['queue']);
  const delivered = counter('queue_messages_delivered_total', 'Deliveries to a handler, redeliveries too.', of);
  const redelivered = counter('queue_messages_redelivered_total', 'Deliveries that were not the first.', of);
  const acked = counter('queue_messages_acked_total', 'Messages handled and settled.', of);
  const nacked = counter('queue_messages_nacked_total', 'Deliveries to be repeated.', withCode);
  const dead = counter('queue_messages_dead_lettered_total', 'Messages given up on.', [...withCode, 'reason']);
  const redriven = counter('queue_dead_letters_redriven_total', 'Dead letters delivered again by an operator.', of);
  const discarded = counter('queue_dead_letters_discarded_total', 'Dead letters removed by an operator.', of);
  const released = counter('queue_messages_released_total', 'Deliveries given back uncounted.', withCode);
  const leasesLost = counter('queue_leases_lost_total', 'Messages taken by another worker meanwhile.', of);
  const unavailable = counter('queue_unavailable_total', 'Calls that the store did not answer.', ['queue', 'during']);
  const tailFailures = counter('queue_tail_handler_failures_total', 'Broadcasts a handler failed on.', ['queue']);
  const stopped = new Gauge({
    name: 'queue_line_stopped',
    help: '1 while a worker takes nothing for a fault of ours.',
    labelNames: of,
    registers: [registry],
  });
  const handling = new Histogram({
    name: 'queue_handling_duration_seconds',
    help: 'Delivery to settlement.',
    labelNames: of,
    buckets: HANDLING_BUCKETS,
    registers: [registry],
  });

  return (event: QueueEvent): void => {
    const { queue } = event;
    const labels = { queue, group: ('group' in event && event.group) || '' };
    switch (event.type) {
      case 'published':
        return published.inc({ queue }, event.count);
      case 'delivered':
        if (event.deliveryCount > 1) redelivered.inc(labels);
        return delivered.inc(labels);
      case 'acked':
        handling.observe(labels, event.durationMs / 1000);
        return acked.inc(labels);
      case 'nacked':
        return nacked.inc({ ...labels, error_code: event.errorCode });
      case 'dead-lettered':
        return dead.inc({ ...labels, error_code: event.errorCode, reason: event.reason });
      case 'dead-letters-redriven':
        return redriven.inc(labels, event.count);
      case 'dead-letters-discarded':
        return discarded.inc(labels, event.count);
      case 'released':
        return released.inc({ ...labels, error_code: event.errorCode });
      case 'lease-lost':
        return leasesLost.inc(labels);
      case 'line-stopped':
        return stopped.set(labels, 1);
      case 'line-resumed':
        return stopped.set(labels, 0);
      case 'unavailable':
        return unavailable.inc({ queue, during: event.during });
      case 'tail-handler-failed':
        return tailFailures.inc({ queue });
    }
  };
}
