export { QueueClient, QueueRecord } from './queue-client.js';
export { QueueContext } from './queue-context.js';
export { QueueExceptionFilter } from './queue-exception-filter.js';
export { QueueServer } from './queue-server.js';
export type { QueueServerConsumeOptions, QueueServerOptions } from './queue-server.js';
