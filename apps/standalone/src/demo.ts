import 'reflect-metadata';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCommandLine } from './command-line.js';
import { runDemo } from './demo/run-demo.js';
import { failureMessage } from './failure-message.js';
import { sampleBookings } from './sample-bookings.js';
import { readStandaloneConfig, type StandaloneConfig } from './standalone-config.js';
import { startStandalone } from './start-standalone.js';

/** Where the bookings go; `close` ends what was started for them. */
interface Stage {
  readonly bookingUrl: string;
  readonly inboxUrl: string;
  close(): Promise<void>;
}

const print = (text: string): void => void process.stdout.write(text);

try {
  process.exitCode = await demonstrate();
} catch (error) {
  const message = failureMessage(error) ?? (error instanceof Error ? error.message : String(error));
  process.stderr.write(`\n  The demonstration could not run: ${message}\n\n`);
  process.exitCode = 1;
}
process.exit();

async function demonstrate(): Promise<number> {
  const config = readStandaloneConfig(readCommandLine(process.argv.slice(2)));
  const samples = await sampleBookings();
  const stage = (await runningStage(config)) ?? (await ownStage(config));
  const interrupt = () => void stage.close().finally(() => process.exit(130));
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  try {
    print(`\n  Booking ${samples.length} trips at ${stage.bookingUrl}, reading their mails at ${stage.inboxUrl}\n\n`);
    const outcomes = await runDemo({ ...stage, samples, print });
    const wrong = outcomes.filter(({ problems }) => problems.length > 0).length;
    const mails = outcomes.filter(({ facts }) => facts).length;
    print(
      wrong === 0
        ? `\n  All ${outcomes.length} as they should be: ${mails} booked with one right mail each, ${outcomes.length - mails} refused without a mail.\n\n`
        : `\n  ${wrong} of ${outcomes.length} went wrong.\n\n`,
    );
    return wrong === 0 ? 0 : 1;
  } finally {
    await stage.close();
  }
}

/** A running `npm start`, found where its settings say. */
async function runningStage(config: StandaloneConfig): Promise<Stage | undefined> {
  const bookingUrl = `http://127.0.0.1:${config.bookingPort}`;
  const inboxUrl = `http://127.0.0.1:${config.inboxPort}`;
  const answers = await Promise.all([
    answers200(`${bookingUrl}/health/live`),
    answers200(`${inboxUrl}/api/v2/messages?limit=1`),
  ]);
  if (!answers.every(Boolean)) return undefined;
  return { bookingUrl, inboxUrl, close: () => Promise.resolve() };
}

async function answers200(url: string): Promise<boolean> {
  return fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** One of our own, on free ports, with data that is thrown away. */
async function ownStage(config: StandaloneConfig): Promise<Stage> {
  print('\n  No npm start is running here: one is started for this, on free ports, with data that is thrown away.\n');
  const dataDir = await mkdtemp(join(tmpdir(), 'eticket-demo-'));
  const removeData = () => rm(dataDir, { recursive: true, force: true });
  try {
    const standalone = await startStandalone({
      ...config,
      dataDir,
      bookingPort: 0,
      workerPort: 0,
      inboxPort: 0,
      smtpPort: 0,
      paymentPort: 0,
      databaseUrl: undefined,
      smtpUrl: undefined,
      paymentGatewayUrl: undefined,
    });
    const close = () => standalone.stop().finally(removeData);
    return { bookingUrl: standalone.url, inboxUrl: standalone.inbox?.url ?? '', close };
  } catch (error) {
    await removeData();
    throw error;
  }
}
