export { driverFromEnvironment } from './driver-from-environment.js';
export { readQueueEnvironment } from './queue-environment.js';
export type { KafkaEnvironment, QueueEnvironment, SaslMechanism } from './queue-environment.js';
