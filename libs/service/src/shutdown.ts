import type { Logger } from './logging/logger.js';
import type { RunningService } from './running-service.js';
import { within } from './deadline.js';

export interface RunOptions {
  readonly logger: Logger;
  /** From the first signal to the end of the process, whatever hangs. */
  readonly deadlineMs: number;
}

/**
 * One Ctrl+C under `npm start` arrives twice: from the terminal, and from npm, which passes on what it gets. No one
 * presses it again as soon.
 */
const SAME_KEY_MS = 500;

/** SIGHUP: the terminal was closed. */
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * Keeps the service running until it is told to stop, then drains it and ends the process: with 0 when it stopped
 * within the deadline, else with 1. A second signal, half a second later or more, ends it at once. A process started with an IPC channel also stops
 * when the channel closes: its parent is gone, perhaps killed.
 */
export function runUntilSignal(service: Pick<RunningService, 'name' | 'stop'>, options: RunOptions): Promise<never> {
  const { logger, deadlineMs } = options;
  let stoppingSince: number | undefined;
  const stop = async (why: string): Promise<void> => {
    if (stoppingSince !== undefined) {
      if (performance.now() - stoppingSince < SAME_KEY_MS) return;
      logger.warn({ why }, `${service.name} leaves at once`);
      process.exit(1);
    }
    stoppingSince = performance.now();
    logger.info({ why, deadlineMs }, `${service.name} is stopping`);
    try {
      await within(service.stop(), deadlineMs, `stopping ${service.name}`);
      process.exit(0);
    } catch (err) {
      logger.error({ err }, `${service.name} did not stop cleanly`);
      process.exit(1);
    }
  };
  for (const signal of SIGNALS) process.on(signal, () => void stop(signal));
  if (process.connected) {
    process.once('disconnect', () => {
      if (stoppingSince === undefined) void stop('the parent process is gone');
    });
  }
  // False, not undefined: there was a parent, and it went while the service started.
  if (process.connected === false) void stop('the parent process is gone');
  const fail = (err: unknown): void => {
    logger.fatal({ err }, `${service.name} failed with an error that nobody handled`);
    process.exit(1);
  };
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
  return new Promise<never>(() => undefined);
}
