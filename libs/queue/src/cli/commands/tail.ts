import type { Command } from 'commander';
import type { Message } from '../../message.js';
import type { EphemeralStart } from '../../queue-driver.js';
import { messageJson, messageLine } from '../message-view.js';
import type { Run } from '../program.js';
import type { Session } from '../session.js';
import { wholeNumber } from '../values.js';

interface TailFlags {
  readonly from: EphemeralStart;
  readonly body?: boolean;
}

export function addTail(program: Command, run: Run): void {
  program
    .command('tail')
    .description('shows messages as they are published, until Ctrl+C; settles nothing, no group notices')
    .argument('<queue>')
    .option('--from <start>', 'latest, beginning, or a number: so many of the newest first', start, 'latest' as const)
    .option('--body', 'show payloads too: they may hold personal data')
    .action((queue: string, { from, body = false }: TailFlags) =>
      run(async (session) => {
        const ackline = await session.existing(queue);
        const tail = ackline.tail({ queue, from }, (message) => showMessage(session, message, body));
        await tail.ready;
        if (!session.json) session.note(`Reading ${queue}; Ctrl+C ends.`);
        await new Promise<void>((resolve) => {
          if (session.signal.aborted) resolve();
          session.signal.addEventListener('abort', () => resolve(), { once: true });
        });
        await tail.close();
      }),
    );
}

export function showMessage(session: Session, message: Message, withBody: boolean): void {
  if (session.signal.aborted) return;
  const { publishedAt, origin } = message;
  if (session.json) session.row({ ...messageJson(message, withBody), publishedAt, origin });
  else session.line(messageLine(publishedAt, message, withBody));
}

function start(text: string): EphemeralStart {
  return text === 'latest' || text === 'beginning' ? text : { last: wholeNumber(text) };
}
