export { MemoryStore } from './memory-store.js';
export type { MemoryStoreOptions } from './memory-store.js';
export { VirtualClock } from './virtual-clock.js';
