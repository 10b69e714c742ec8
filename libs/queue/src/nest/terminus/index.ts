export { QueueHealthIndicator } from './queue-health-indicator.js';
export type { QueueHealthOptions } from './queue-health-indicator.js';
