/** Cancels what it was returned for; works twice. */
export type Cancel = () => void;

/**
 * Time as the engine and the memory driver see it. The system's by default; tests pass a virtual one.
 * Durable drivers time leases and delays by their store's clock, not by this.
 */
export interface Clock {
  /** Wall-clock milliseconds since the epoch. */
  now(): number;
  /** Monotonic milliseconds, unaffected by clock changes: for measuring how long ago. */
  monotonic(): number;
  /** Runs `callback` once after `delayMs`. */
  schedule(delayMs: number, callback: () => void): Cancel;
}

/** The process's own clocks. Timers keep the process alive only where something is awaited on them. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  schedule(delayMs, callback) {
    const timer = setTimeout(callback, Math.min(delayMs, 2_147_483_647));
    return () => clearTimeout(timer);
  },
};
