import type { Command } from 'commander';
import type { DeadLetters } from '../../dead-letters.js';
import type { DeadLetterFilter } from '../../queue-driver.js';
import { filterOf, withFilter } from '../dead-letter-flags.js';
import type { FilterFlags } from '../dead-letter-flags.js';
import { CliFailure, EXIT } from '../failure.js';
import { messageJson, messageLine } from '../message-view.js';
import type { Run } from '../program.js';
import type { Session } from '../session.js';
import { wholeNumber } from '../values.js';
import { groupsOf } from './lag.js';

interface DeadLettersFlags extends FilterFlags {
  readonly list?: boolean;
  readonly limit: number;
  readonly body?: boolean;
  readonly audit?: boolean;
}

export function addDeadLetters(program: Command, run: Run): void {
  withFilter(
    program
      .command('dead-letters')
      .description('counts dead letters by error; with --list shows them, with --audit what was done to them')
      .argument('[queue]', 'default: every queue')
      .argument('[group]', 'default: every group'),
  )
    .option('--list', 'each letter, oldest first')
    .option('--limit <n>', 'with --list and --audit: at most so many', wholeNumber, 20)
    .option('--body', 'with --list: payloads too; they may hold personal data')
    .option('--audit', 'who redrove or discarded how many, and when, newest first')
    .action((queue: string | undefined, group: string | undefined, flags: DeadLettersFlags) =>
      run(async (session) => {
        const ackline = queue === undefined ? await session.ackline() : await session.existing(queue, group);
        if ((flags.list || flags.audit) && (queue === undefined || group === undefined)) {
          throw new CliFailure(EXIT.usage, `--${flags.list ? 'list' : 'audit'} needs a queue and a group.`);
        }
        const filter = filterOf(flags) ?? {};
        if (flags.list) return list(session, ackline.deadLetters(queue!, group!), filter, flags);
        if (flags.audit) return audit(session, ackline.deadLetters(queue!, group!), flags.limit);
        const rows: { cells: readonly string[]; json: unknown }[] = [];
        for (const each of await groupsOf(ackline, queue, group)) {
          for (const { errorCode, count } of await ackline.deadLetters(each.queue, each.group).countByError(filter)) {
            rows.push({
              cells: [each.queue, each.group, errorCode, String(count)],
              json: { ...each, errorCode, count },
            });
          }
        }
        if (rows.length === 0 && !session.json) session.note('There are no dead letters.');
        else session.table(['queue', 'group', 'error', 'count'], rows);
      }),
    );
}

async function list(
  session: Session,
  letters: DeadLetters,
  filter: DeadLetterFilter,
  { limit, body = false }: DeadLettersFlags,
): Promise<void> {
  let shown = 0;
  for await (const letter of letters.list(filter)) {
    if (shown === limit || session.signal.aborted) break;
    shown++;
    const { errorCode, reason, deliveryCount, redriveCount, publishedAt, firstSeenAt, deadAt, origin } = letter;
    if (session.json) {
      const story = { errorCode, reason, deliveryCount, redriveCount, publishedAt, firstSeenAt, deadAt, origin };
      session.row({ ...messageJson(letter, body), ...story });
      continue;
    }
    const story = [`error=${errorCode}`, `reason=${reason}`, `deliveries=${deliveryCount}`];
    if (redriveCount > 0) story.push(`redriven=${redriveCount}`);
    session.line(messageLine(deadAt, letter, body, story));
  }
  const count = await letters.count(filter);
  if (!session.json) session.note(count > shown ? `${shown} of ${count}; --limit shows more.` : `${count} in all.`);
}

async function audit(session: Session, letters: DeadLetters, limit: number): Promise<void> {
  const acts = await letters.acts(limit);
  const rows = acts.map((act) => ({
    cells: [act.from.toISOString(), act.to.toISOString(), act.actor, act.action, String(act.count)],
    json: act,
  }));
  session.table(['from', 'to', 'who', 'what', 'how many'], rows);
}
