import type { Command } from 'commander';
import { installed } from '../../environment/driver-from-environment.js';
import { readQueueEnvironment } from '../../environment/queue-environment.js';
import { CliFailure, EXIT } from '../failure.js';
import type { Run } from '../program.js';

export function addMigrate(program: Command, run: Run): void {
  program
    .command('migrate')
    .description('makes the tables in PostgreSQL, or brings them up to date; queues on Kafka need the outbox alone')
    .option('--print', 'print the SQL for a new database instead, for a migration tool of your own')
    .action(({ print }: { readonly print?: boolean }) =>
      run(async (session) => {
        const { kafka, databaseUrl } = readQueueEnvironment(session.env);
        const names = kafka ? (['outbox'] as const) : (['queue', 'outbox'] as const);
        const tables = await installed('DATABASE_URL', 'pg', () => import('../outbox-connection.js'));
        if (print) return session.line(tables.schemaSql(names));
        if (databaseUrl === undefined) {
          throw new CliFailure(EXIT.usage, 'DATABASE_URL is not set: it must be the database to migrate.');
        }
        await tables.migrateSchemas(databaseUrl, names);
        if (session.json) session.row({ migrated: names });
        else session.line(`up to date: ${names.join(', ')}`);
      }),
    );
}
