import { MemoryStore } from '../drivers/memory/memory-store.js';
import { VirtualClock } from '../drivers/memory/virtual-clock.js';
import type { ContractHarness } from './contract-harness.js';

const RETENTION_MS = 24 * 60 * 60 * 1_000;

/** The memory driver under virtual time: also the good driver beneath the broken ones. */
export function memoryHarness(): ContractHarness {
  const clock = new VirtualClock();
  const store = new MemoryStore({ clock, retentionMs: RETENTION_MS });
  return {
    features: store.driver().features,
    open: () => Promise.resolve(store.driver()),
    crash: (driver) => Promise.resolve(store.crash(driver)),
    cutOff: (driver) => {
      const reconnect = store.cutOff(driver);
      return Promise.resolve(() => Promise.resolve(reconnect()));
    },
    passRetention: () => clock.advance(RETENTION_MS),
    clock,
    advance: (ms) => clock.advance(ms),
    visibilityTimeoutMs: 30_000,
    delayMs: 1_000,
    deadlineMs: 20_000,
    close: () => Promise.resolve(),
  };
}
