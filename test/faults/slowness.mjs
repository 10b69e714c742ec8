/**
 * How late this machine is: bounds in milliseconds hold for a machine that has time for the processes. A redelivery is
 * about twenty steps of several processes, each of which waits as long as this one does for its turn.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';

const STEPS = 20;
const RESOLUTION_MS = 20;

/** @returns {() => number} what may be added to a bound, for the time since */
export function slownessSince() {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  return () => {
    delay.disable();
    const lateMs = Math.max(0, delay.mean / 1e6 - RESOLUTION_MS);
    return Math.round(lateMs * STEPS);
  };
}
