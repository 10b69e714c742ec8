import type { Command } from 'commander';
import type { DeadLetterFilter } from '../../queue-driver.js';
import { actorOf, filterOf, withFilter } from '../dead-letter-flags.js';
import type { FilterFlags } from '../dead-letter-flags.js';
import { CliFailure, EXIT } from '../failure.js';
import type { Run } from '../program.js';
import type { Session } from '../session.js';
import { rate, spokenDuration } from '../values.js';

interface ActFlags extends FilterFlags {
  readonly all?: boolean;
  readonly rate?: number;
  readonly dryRun?: boolean;
  readonly actor?: string;
  readonly yes?: boolean;
}

type Action = 'redrive' | 'discard';
const DONE: Readonly<Record<Action, string>> = { redrive: 'redriven', discard: 'discarded' };

export function addRedrive(program: Command, run: Run): void {
  addAct(program, run, 'redrive', 'delivers dead letters again to their group, under their own ids, counted anew');
}

export function addDiscard(program: Command, run: Run): void {
  addAct(program, run, 'discard', 'removes dead letters for good').option(
    '--yes',
    'needed unless they are named by --id',
  );
}

function addAct(program: Command, run: Run, action: Action, description: string): Command {
  return withFilter(program.command(action).description(description).argument('<queue>').argument('<group>'))
    .option('--all', 'every dead letter of the group')
    .option('--rate <rate>', 'at most so many, e.g. 50/s or 100/m', rate)
    .option('--dry-run', 'only say how many, by error')
    .option('--actor <name>', 'who acts, for the audit (default: ACKLINE_ACTOR, or user@host)')
    .action((queue: string, group: string, flags: ActFlags) =>
      run((session) => act(session, action, { queue, group }, selected(flags), flags)),
    );
}

/** @throws CliFailure where nothing selects: all is never meant by leaving something out. */
function selected(flags: ActFlags): DeadLetterFilter {
  const filter = filterOf(flags);
  if (filter && flags.all) throw new CliFailure(EXIT.usage, '--all takes no other option that selects.');
  if (!filter && !flags.all) {
    throw new CliFailure(
      EXIT.usage,
      'Say which: --id, --key, --error, --reason, --older-than, --newer-than, or --all.',
    );
  }
  return filter ?? {};
}

async function act(
  session: Session,
  action: Action,
  { queue, group }: { readonly queue: string; readonly group: string },
  filter: DeadLetterFilter,
  flags: ActFlags,
): Promise<number> {
  const { dryRun = false } = flags;
  if (action === 'discard' && !dryRun && !flags.yes && flags.id === undefined) {
    throw new CliFailure(EXIT.usage, 'discard removes them for good: look with --dry-run, then say --yes.');
  }
  const letters = (await session.existing(queue, group)).deadLetters(queue, group);
  const byError = await letters.countByError(filter);
  const matching = byError.reduce((sum, { count }) => sum + count, 0);
  if (matching === 0 && flags.id !== undefined) {
    throw new CliFailure(EXIT.missing, `None of these is a dead letter of ${queue}, group ${group}.`);
  }
  if (dryRun) {
    if (session.json) session.row({ queue, group, action, dryRun, matching, byError });
    else session.line(`${matching} would be ${DONE[action]}${byError.map(spoken).join('')}`);
    return EXIT.done;
  }
  const startedAt = performance.now();
  const done = await letters[action](filter, {
    actor: actorOf(flags.actor, session.env),
    signal: session.signal,
    onProgress: (count, of) => session.progress(progress(DONE[action], count, of, performance.now() - startedAt)),
    ...(flags.rate !== undefined && { ratePerSecond: flags.rate }),
  });
  const cutOff = session.signal.aborted && done < matching;
  if (session.json) session.row({ queue, group, action, dryRun, matching, done });
  else {
    const rest = cutOff ? ` of ${matching}; the same command goes on with the rest` : '';
    session.note(`${DONE[action]} ${done}${rest}.`);
  }
  return cutOff ? EXIT.interrupted : EXIT.done;
}

function spoken({ errorCode, count }: { readonly errorCode: string; readonly count: number }): string {
  return `\n  ${count}  ${errorCode}`;
}

function progress(what: string, done: number, of: number, tookMs: number): string {
  const leftMs = done === 0 ? undefined : (tookMs / done) * (of - done);
  return `${what} ${done} of ${of}, ${spokenDuration(leftMs)} to go`;
}
