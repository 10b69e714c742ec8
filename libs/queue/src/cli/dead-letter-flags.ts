import { hostname, userInfo } from 'node:os';
import { Option } from 'commander';
import type { Command } from 'commander';
import type { DeadLetterFilter, DeadLetterReason } from '../queue-driver.js';
import { duration } from './values.js';

/** Options that select dead letters; all that are given must hold. */
export interface FilterFlags {
  readonly id?: readonly string[];
  readonly key?: string;
  readonly error?: string;
  readonly reason?: DeadLetterReason;
  readonly olderThan?: number;
  readonly newerThan?: number;
}

export function withFilter(command: Command): Command {
  return command
    .option('--id <id...>', 'these messages')
    .option('--key <key>', 'messages of this key')
    .option('--error <code>', 'with this error code')
    .addOption(new Option('--reason <reason>', 'why they are dead').choices(['rejected', 'max_deliveries']))
    .option('--older-than <time>', 'dead for longer, e.g. 2h', duration)
    .option('--newer-than <time>', 'dead for less long, e.g. 1d', duration);
}

/** Undefined where no option selects. */
export function filterOf(flags: FilterFlags, now = Date.now()): DeadLetterFilter | undefined {
  const { id, key, error, reason, olderThan, newerThan } = flags;
  const filter = {
    ...(id && { ids: id }),
    ...(key !== undefined && { key }),
    ...(error !== undefined && { errorCode: error }),
    ...(reason !== undefined && { reason }),
    ...(olderThan !== undefined && { deadBefore: new Date(now - olderThan) }),
    ...(newerThan !== undefined && { deadAfter: new Date(now - newerThan) }),
  };
  return Object.keys(filter).length === 0 ? undefined : filter;
}

/** Who acts: `--actor`, ACKLINE_ACTOR, or the user on this machine. */
export function actorOf(given: string | undefined, env: NodeJS.ProcessEnv): string {
  return given ?? (env['ACKLINE_ACTOR'] || `${userName()}@${hostname()}`.slice(0, 200));
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a number that no user has.
    return `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}
