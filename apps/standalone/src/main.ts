import 'reflect-metadata';
import { relative } from 'node:path';
import { runUntilSignal } from '@eticket/service';
import { HELP, readCommandLine } from './command-line.js';
import { failureMessage } from './failure-message.js';
import { daysAfter } from './sample-bookings.js';
import { readStandaloneConfig, type StandaloneConfig } from './standalone-config.js';
import { startScreen } from './start-screen.js';
import { startStandalone, type RunningStandalone } from './start-standalone.js';

/** Booking, workers, inbox and PostgreSQL one after the other; each has a shorter deadline of its own. */
const STOP_DEADLINE_MS = 45_000;
/** Far enough ahead for any fare rule. */
const EXAMPLE_DAYS_AHEAD = 45;

// The terminal may be closed while what is under way is finished: nobody reads then, and that must not end it.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

try {
  const commandLine = readCommandLine(process.argv.slice(2));
  if (commandLine.help) process.stdout.write(HELP);
  else await run(readStandaloneConfig(commandLine));
} catch (error) {
  const unforeseen = `The start failed: ${error instanceof Error ? error.message : String(error)}. The log in the data folder says more.`;
  process.stderr.write(`\n  ${(failureMessage(error) ?? unforeseen).replaceAll('\n', '\n  ')}\n\n`);
  process.exit(1);
}

async function run(config: StandaloneConfig): Promise<void> {
  const startedAt = performance.now();
  let interrupted = false;
  const interrupt = () => {
    if (!interrupted) process.stdout.write('  Stopping as soon as the start is through.\n');
    interrupted = true;
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, interrupt);
  process.stdout.write('\n  Starting the e-ticket pipeline …\n');
  const standalone = await startStandalone(config);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, interrupt);

  const stop = async () => {
    process.stdout.write('\n  Stopping: what is under way is finished. Ctrl+C again leaves at once.\n');
    await standalone.stop();
    process.stdout.write(`  Stopped. The data is kept in ${fromHere(config.dataDir)}.\n\n`);
  };
  if (interrupted) {
    await stop();
    process.exit(0);
  }
  process.stdout.write(screenOf(config, standalone, (performance.now() - startedAt) / 1000));
  await runUntilSignal({ name: 'standalone', stop }, { logger: standalone.logger, deadlineMs: STOP_DEADLINE_MS });
}

function screenOf(config: StandaloneConfig, standalone: RunningStandalone, seconds: number): string {
  const { workers, inbox } = standalone;
  const processes = `${workers.pids.length} processes (${workers.pids.join(', ')})`;
  return `${startScreen({
    seconds,
    bookingUrl: standalone.url,
    inbox,
    paymentUrl: standalone.paymentUrl,
    relay: config.smtpUrl === undefined ? undefined : new URL(config.smtpUrl).host,
    workers:
      config.workers === undefined
        ? `${workers.url}/health/ready`
        : workers.pids.length > 0
          ? processes
          : 'none: mails wait',
    database: databaseLine(config, standalone),
    dataDir: fromHere(config.dataDir),
    departureDate: daysAfter(new Date(), EXAMPLE_DAYS_AHEAD),
    color: process.stdout.isTTY && !process.env.NO_COLOR,
  })}\n`;
}

function databaseLine(config: StandaloneConfig, { databaseUrl, adoptedDatabase }: RunningStandalone): string {
  const { host, port, pathname } = new URL(databaseUrl);
  if (config.databaseUrl !== undefined) return `PostgreSQL on ${host}${pathname} (DATABASE_URL)`;
  return `embedded PostgreSQL on 127.0.0.1:${port}${adoptedDatabase ? ', left over by a start that was killed and taken over' : ''}`;
}

function fromHere(path: string): string {
  const fromHere = relative(process.cwd(), path);
  return fromHere !== '' && !fromHere.startsWith('..') ? `./${fromHere}` : path;
}
