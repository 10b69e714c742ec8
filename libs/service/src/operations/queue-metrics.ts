import type { QueueEvent, QueueObserver } from 'ackline';
import type { ServiceMetrics } from './service-metrics.js';

/** Seconds from a delivery to its durable settlement. */
const HANDLING_BUCKETS = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300];

/** An observer that turns the engine's events into counters. Labels hold names and bounded codes, never ids. */
export function queueObserver(metrics: ServiceMetrics): QueueObserver {
  const of = ['queue', 'group'] as const;
  const withCode = [...of, 'error_code'] as const;
  const published = metrics.counter('queue_messages_published_total', 'Messages stored durably.', ['queue']);
  const delivered = metrics.counter('queue_messages_delivered_total', 'Deliveries to a handler, redeliveries too.', of);
  const redelivered = metrics.counter('queue_messages_redelivered_total', 'Deliveries that were not the first.', of);
  const acked = metrics.counter('queue_messages_acked_total', 'Messages handled and settled.', of);
  const nacked = metrics.counter('queue_messages_nacked_total', 'Deliveries to be repeated.', withCode);
  const dead = metrics.counter('queue_messages_dead_lettered_total', 'Messages given up on.', [...withCode, 'reason']);
  const released = metrics.counter('queue_messages_released_total', 'Deliveries given back uncounted.', withCode);
  const leasesLost = metrics.counter('queue_leases_lost_total', 'Messages taken by another worker meanwhile.', of);
  const stopped = metrics.gauge('queue_line_stopped', '1 while a worker takes nothing for a fault of ours.', of);
  const unavailable = metrics.counter('queue_unavailable_total', 'Calls that the store did not answer.', [
    'queue',
    'during',
  ]);
  const tailFailures = metrics.counter('queue_tail_handler_failures_total', 'Broadcasts a handler failed on.', [
    'queue',
  ]);
  const handling = metrics.histogram(
    'queue_handling_duration_seconds',
    'Delivery to settlement.',
    of,
    HANDLING_BUCKETS,
  );

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
