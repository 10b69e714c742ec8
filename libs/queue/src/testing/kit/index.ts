export { NotDrainedError, drained } from './drained.js';
export type { DrainedOptions } from './drained.js';
export { testQueue } from './test-queue.js';
export type { TestDrainedOptions, TestQueue, TestQueueOptions } from './test-queue.js';
export type { PublishedMessage } from './recording-driver.js';
export { VirtualClock } from '../../drivers/memory/virtual-clock.js';
