export { driverFromEnvironment } from './driver-from-environment.js';
export { QueueEnvironmentError, readKafkaEnvironment, readQueueEnvironment } from './queue-environment.js';
export type { KafkaEnvironment, QueueEnvironment, SaslMechanism } from './queue-environment.js';
