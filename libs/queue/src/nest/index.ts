export { QueueClient, QueueRecord } from './queue-client.js';
export { QueueContext } from './queue-context.js';
export { QueueExceptionFilter } from './queue-exception-filter.js';
export { QueueModule } from './queue-module.js';
export type { QueueFeatureOptions } from './queue-module.js';
export type { QueueModuleExtras, QueueModuleOptions, QueueModuleOptionsFactory } from './queue-module-options.js';
export { QUEUE_TRANSPORT, QueueServer } from './queue-server.js';
export type { QueueServerConsumeOptions, QueueServerOptions } from './queue-server.js';
export {
  InjectAckline,
  InjectDeadLetters,
  InjectQueueClient,
  acklineToken,
  deadLettersToken,
  queueClientToken,
} from './queue-tokens.js';
