import type { Command } from 'commander';
import type { Run } from '../program.js';

export function addLs(program: Command, run: Run): void {
  program
    .command('ls')
    .description('lists queues and their consumer groups')
    .action(() =>
      run(async (session) => {
        const queues = await (await session.ackline()).queues();
        const rows = queues.map(({ queue, groups }) => ({
          cells: [queue, groups.join(', ') || '–'],
          json: { queue, groups },
        }));
        session.table(['queue', 'groups'], rows);
      }),
    );
}
