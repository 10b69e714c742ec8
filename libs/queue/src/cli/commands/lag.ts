import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Ackline } from '../../ackline.js';
import type { GroupStats } from '../../queue-driver.js';
import type { Run } from '../program.js';
import type { Session } from '../session.js';
import { duration, spokenDuration } from '../values.js';

const COLUMNS = ['queue', 'group', 'not settled', 'ready', 'waiting', 'in flight', 'dead letters', 'oldest'];

export function addLag(program: Command, run: Run): void {
  program
    .command('lag')
    .description('shows how far each group is: not settled = ready + waiting + in flight, and the oldest of them')
    .argument('[queue]', 'default: every queue')
    .argument('[group]', 'default: every group')
    .option('--watch <time>', 'again every so often, until Ctrl+C, e.g. 2s', duration)
    .action((queue: string | undefined, group: string | undefined, { watch }: { watch?: number }) =>
      run(async (session) => {
        const ackline = queue === undefined ? await session.ackline() : await session.existing(queue, group);
        do {
          show(session, await statsOf(ackline, queue, group));
          if (watch === undefined) return;
          if (!session.json) session.line('');
          await sleep(watch, undefined, { signal: session.signal }).catch(() => undefined);
        } while (!session.signal.aborted);
      }),
    );
}

/** Of every group that the names select. */
export async function groupsOf(
  ackline: Ackline,
  queue?: string,
  group?: string,
): Promise<readonly { readonly queue: string; readonly group: string }[]> {
  return (await ackline.queues())
    .filter((each) => queue === undefined || each.queue === queue)
    .flatMap((each) => each.groups.map((name) => ({ queue: each.queue, group: name })))
    .filter((each) => group === undefined || each.group === group);
}

async function statsOf(ackline: Ackline, queue?: string, group?: string): Promise<readonly GroupStats[]> {
  const stats: GroupStats[] = [];
  for (const each of await groupsOf(ackline, queue, group)) stats.push(await ackline.stats(each.queue, each.group));
  return stats;
}

function show(session: Session, all: readonly GroupStats[]): void {
  const rows = all.map(({ queue, group, ready, waiting, inFlight, deadLetters, oldestAgeMs }) => {
    const notSettled = ready + waiting + inFlight;
    const counts = [notSettled, ready, waiting, inFlight, deadLetters].map(String);
    return {
      cells: [queue, group, ...counts, spokenDuration(oldestAgeMs)],
      json: { queue, group, notSettled, ready, waiting, inFlight, deadLetters, oldestAgeMs: oldestAgeMs ?? null },
    };
  });
  session.table(COLUMNS, rows);
}
