export { eventually } from './eventually.js';
export type { EventuallyOptions } from './eventually.js';
export { testDatabase } from './test-database.js';
export type { TestDatabase } from './test-database.js';
export { OtlpCollector } from './otlp-collector.js';
export type { CollectedSpan } from './otlp-collector.js';
