export { observeBacklog } from './backlog.js';
export type { BacklogOptions } from './backlog.js';
export { queueMetrics } from './queue-metrics.js';
export type { QueueMetricsOptions } from './queue-metrics.js';
