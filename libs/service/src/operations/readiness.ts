import type { ServiceMetrics } from './service-metrics.js';

/** Something that a service needs to do its work. */
export interface ReadinessCheck {
  /** As it stands in the answer, e.g. `database`. */
  readonly name: string;
  /** Milliseconds until it counts as failed; 2,000 when left out. */
  readonly deadlineMs?: number;
  /** Resolves when ready; throws with why not, in words for an operator and without personal data. */
  check(signal: AbortSignal): Promise<void>;
}

/** What the module is built from. */
export interface OperationsOptions {
  readonly metrics: ServiceMetrics;
  readonly readiness: readonly ReadinessCheck[];
}
