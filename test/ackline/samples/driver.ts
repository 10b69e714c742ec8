import type { QueueDriver } from 'ackline';
// #region suite
import { describeQueueDriver } from 'ackline/contract-suite';
import type { ContractHarness } from 'ackline/contract-suite';

export function describeMine(open: () => Promise<QueueDriver>, features: QueueDriver['features']): void {
  const harness: ContractHarness = {
    features,
    open, // a driver as a new process would have it
    crash: (driver) => stopDead(driver), // as kill -9 would: nothing is given back
    cutOff: (driver) => cutNetwork(driver), // resolves with a function that mends it
    visibilityTimeoutMs: 2_000,
    delayMs: 500,
    deadlineMs: 15_000,
    close: () => Promise.resolve(),
  };
  describeQueueDriver('mine', () => Promise.resolve(harness));
}
// #endregion

declare function stopDead(driver: QueueDriver): Promise<void>;
declare function cutNetwork(driver: QueueDriver): Promise<() => Promise<void>>;
