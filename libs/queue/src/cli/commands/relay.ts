import type { Command } from 'commander';
import { installed } from '../../environment/driver-from-environment.js';
import { readQueueEnvironment } from '../../environment/queue-environment.js';
import { CliFailure, EXIT } from '../failure.js';
import { visible } from '../message-view.js';
import type { Run } from '../program.js';
import { spokenDuration, wholeNumber } from '../values.js';

interface RelayFlags {
  readonly batch: number;
  readonly once?: boolean;
  readonly status?: boolean;
}

export function addRelay(program: Command, run: Run): void {
  program
    .command('relay')
    .description('publishes to Kafka what transactions left in the outbox, until Ctrl+C; any number may run')
    .option('--batch <n>', 'messages a batch', wholeNumber, 500)
    .option('--once', 'publish what is there, then end')
    .option('--status', 'only say how many wait, and since when')
    .action((flags: RelayFlags) =>
      run(async (session) => {
        const { kafka, databaseUrl } = readQueueEnvironment(session.env);
        if (databaseUrl === undefined) {
          throw new CliFailure(EXIT.usage, 'DATABASE_URL is not set: it must be the database with the outbox.');
        }
        if (!kafka) {
          throw new CliFailure(
            EXIT.usage,
            'KAFKA_BROKERS is not set: with queues in PostgreSQL there is nothing to relay, enqueue writes into the queue.',
          );
        }
        const { openOutbox } = await installed('DATABASE_URL', 'pg', () => import('../outbox-connection.js'));
        const outbox = openOutbox(databaseUrl, await session.ackline(), {
          batchSize: flags.batch,
          onError: (error, retryInMs) =>
            session.note(`again in ${spokenDuration(retryInMs)}: ${visible((error as Error).message)}`),
        });
        try {
          if (flags.once) {
            let published = 0;
            for (let some = 1; some > 0 && !session.signal.aborted; published += some) {
              some = await outbox.relay.relayOnce();
              session.progress(`published ${published + some}`);
            }
            if (session.json) session.row({ published });
            else session.line(`published ${published}`);
            return;
          }
          if (flags.status) {
            const { waiting, oldestAgeMs } = await outbox.relay.stats();
            if (session.json) session.row({ waiting, oldestAgeMs });
            else session.line(`${waiting} waiting, oldest ${spokenDuration(waiting > 0 ? oldestAgeMs : undefined)}`);
            return;
          }
          session.note('Relaying; Ctrl+C ends.');
          outbox.relay.start();
          await new Promise<void>((resolve) => {
            if (session.signal.aborted) resolve();
            session.signal.addEventListener('abort', () => resolve(), { once: true });
          });
        } finally {
          await outbox.close();
        }
      }),
    );
}
