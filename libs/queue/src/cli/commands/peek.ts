import type { Command } from 'commander';
import type { Run } from '../program.js';
import { wholeNumber } from '../values.js';
import { showMessage } from './tail.js';

interface PeekFlags {
  readonly last: number;
  readonly body?: boolean;
}

export function addPeek(program: Command, run: Run): void {
  program
    .command('peek')
    .description('shows the newest messages of a queue, settled or not; settles nothing, no group notices')
    .argument('<queue>')
    .option('--last <n>', 'how many of the newest', wholeNumber, 10)
    .option('--body', 'show payloads too: they may hold personal data')
    .action((queue: string, { last, body = false }: PeekFlags) =>
      run(async (session) => {
        const ackline = await session.existing(queue);
        for (const message of await ackline.peek(queue, { last, signal: session.signal })) {
          showMessage(session, message, body);
        }
      }),
    );
}
