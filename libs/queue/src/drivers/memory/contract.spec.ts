import { describeQueueDriver } from '../../testing/describe-queue-driver.js';
import { memoryHarness } from '../../testing/memory-harness.js';

describeQueueDriver('the memory driver', () => Promise.resolve(memoryHarness()));
