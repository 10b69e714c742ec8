import { Command } from 'commander';
import { addDeadLetters } from './commands/dead-letters.js';
import { addLag } from './commands/lag.js';
import { addLs } from './commands/ls.js';
import { addMigrate } from './commands/migrate.js';
import { addPeek } from './commands/peek.js';
import { addPublish } from './commands/publish.js';
import { addDiscard, addRedrive } from './commands/redrive.js';
import { addRelay } from './commands/relay.js';
import { addTail } from './commands/tail.js';
import { EXIT, outcomeOf } from './failure.js';
import { Session } from './session.js';
import type { CliProcess } from './session.js';

const SETTINGS = `
Environment:
  KAFKA_BROKERS         host:9092,…  queues are on Kafka; unset: in PostgreSQL
  KAFKA_SSL             true or false (default); KAFKA_SSL_CA_FILE: certificates of the authority
  KAFKA_SASL_MECHANISM, KAFKA_SASL_USERNAME, KAFKA_SASL_PASSWORD
                        plain, scram-sha-256 or scram-sha-512, with name and password
  KAFKA_COMPRESSION     of what is published: none (default), gzip or snappy
  DATABASE_URL          postgres://user:password@host:5432/database
  ACKLINE_ACTOR         who acts, for the audit of redrive and discard (default: user@host)

Exit codes:
  0 done   1 the store did not answer or refused   2 a setting or an option is wrong
  3 what was named is not there   130 Ctrl+C before everything was done`;

/** Runs a command, once its options are read. */
export type Run = (work: (session: Session) => Promise<number | void>) => Promise<void>;

/** Runs one command line and resolves with its exit code. Never throws; leaves nothing open. */
export async function runCli(args: readonly string[], process: CliProcess): Promise<number> {
  const program = new Command('ackline');
  let exitCode: number = EXIT.done;
  const run: Run = async (work) => {
    const session = new Session(process, program.opts<{ json?: boolean }>().json === true);
    try {
      exitCode = (await work(session)) ?? EXIT.done;
    } finally {
      await session.close();
    }
  };
  program
    .description('Looks after queues of ackline on Kafka or PostgreSQL.')
    .option('--json', 'one JSON document a line, for scripts')
    .addHelpText('afterAll', SETTINGS)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => void process.stdout.write(text),
      writeErr: (text) => void process.stderr.write(text),
    })
    .exitOverride();
  for (const add of [
    addLs,
    addLag,
    addPeek,
    addTail,
    addPublish,
    addDeadLetters,
    addRedrive,
    addDiscard,
    addRelay,
    addMigrate,
  ]) {
    add(program, run);
  }
  try {
    await program.parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (error) {
    const { exitCode: failed, say } = outcomeOf(error);
    if (say !== undefined) process.stderr.write(`ackline: ${say}\n`);
    return failed;
  }
}
