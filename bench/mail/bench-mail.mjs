#!/usr/bin/env node
/**
 * What a mail costs: CPU to make one, and how many go through one, two and four workers a second.
 *
 * Workers are the real thing: processes of their own that take events from a queue on PostgreSQL, keep their send record
 * there, and talk SMTP to a sink that takes everything. The clock runs from the first mail that the sink took to the
 * last but the first few, so that starting is not measured.
 */
import { fork, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const USAGE = `npm run bench:mail -- [options]

  --mails N       events for each number of workers (1000)
  --workers A,B   numbers of workers to try (1,2,4)
  --rendered N    mails made for each figure of CPU time (200)
  --concurrency N mails under way in a worker at once (10)
  --pdf           workers attach the PDF receipt too
  --json FILE     write { renderCpuMs, renderPdfCpuMs, renderPdfEmbeddedFontCpuMs, mailsPerSecond, … } there
  --cpu-prof DIR  profile the workers' CPU into DIR
`;

const { values } = parseArgs({
  options: {
    mails: { type: 'string', default: '1000' },
    workers: { type: 'string', default: '1,2,4' },
    rendered: { type: 'string', default: '200' },
    concurrency: { type: 'string', default: '10' },
    pdf: { type: 'boolean', default: false },
    json: { type: 'string' },
    'cpu-prof': { type: 'string' },
    help: { type: 'boolean' },
  },
});

const APP = new URL('../../apps/mail-eticket/dist/', import.meta.url);
const DEADLINE_MS = 600_000;
/** Enough to be connected, compiled and warm. */
const WARM_UP_MAILS = 50;

if (values.help) process.stdout.write(USAGE);
else await main();

async function main() {
  const cores = availableParallelism();
  say(`cores ${cores}, load ${loadavg()[0].toFixed(1)}, node ${process.version}`);
  const result = { cores, loadBefore: loadavg()[0], ...(await renderingCpu(Number(values.rendered))) };
  say(`CPU a mail: ${ms(result.renderCpuMs)} without PDF, ${ms(result.renderPdfCpuMs)} with it,`);
  say(`            ${ms(result.renderPdfEmbeddedFontCpuMs)} with a font embedded in it`);
  result.mailsPerSecond = {};
  result.transactionsAMail = {};
  result.workerCpuMsAMail = {};
  for (const count of values.workers.split(',').map(Number)) {
    const run = await throughput(count, Number(values.mails));
    result.mailsPerSecond[count] = run.mailsPerSecond;
    result.transactionsAMail[count] = run.transactionsAMail;
    result.workerCpuMsAMail[count] = run.workerCpuMsAMail;
    say(
      `${count} worker${count === 1 ? '' : 's'}: ${run.mailsPerSecond.toFixed(0)} mails/s, ` +
        `${run.transactionsAMail.toFixed(2)} transactions and ${ms(run.workerCpuMsAMail)} of worker CPU a mail`,
    );
  }
  result.loadAfter = loadavg()[0];
  if (values.json) await writeFile(values.json, `${JSON.stringify(result, null, 2)}\n`);
}

async function renderingCpu(count) {
  const { composeMail } = await import(new URL('sending/compose-mail.js', APP));
  const { eticketEventWithIds } = await import(new URL('testing/eticket-fixtures.js', APP));
  const { TEST_MAIL } = await import(new URL('testing/mail-bytes.js', APP));
  const event = eticketEventWithIds('0198a000-0000-7000-8000-0000000000e1', 'one adult, one way');
  const [passenger] = event.booking.passengers;
  const polish = { ...event, booking: { ...event.booking, passengers: [{ ...passenger, givenName: 'Łucja' }] } };
  return {
    renderCpuMs: await cpuMs(count, () => composeMail(event, { ...TEST_MAIL, attachPdf: false })),
    renderPdfCpuMs: await cpuMs(count, () => composeMail(event, TEST_MAIL)),
    renderPdfEmbeddedFontCpuMs: await cpuMs(count, () => composeMail(polish, TEST_MAIL)),
  };
}

/** The median of ten batches: the machine has other things to do too. */
async function cpuMs(count, work) {
  for (let at = 0; at < Math.min(count, 30); at += 1) await work();
  const batch = Math.max(1, Math.round(count / 10));
  const batches = [];
  for (let at = 0; at < 10; at += 1) {
    const before = process.cpuUsage();
    for (let done = 0; done < batch; done += 1) await work();
    const { user, system } = process.cpuUsage(before);
    batches.push((user + system) / 1_000 / batch);
  }
  return batches.sort((a, b) => a - b)[5];
}

async function throughput(workerCount, mails) {
  const { createLogger, createPool, startEmbeddedPostgres } = await import('@eticket/service');
  const { Ackline } = await import('ackline');
  const { postgresDriver } = await import('ackline/postgres');
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-mail-'));
  const logger = createLogger({ service: 'bench', level: 'silent' });
  const postgres = await startEmbeddedPostgres({ dataDir, logger });
  const sink = await startSink();
  const ackline = new Ackline({ driver: postgresDriver({ connectionString: postgres.connectionString }) });
  const pool = createPool({ connectionString: postgres.connectionString, applicationName: 'bench', logger });
  const workers = [];
  try {
    await publishEvents(ackline, mails);
    for (let at = 0; at < workerCount; at += 1) workers.push(startWorker(postgres.connectionString, sink.port));
    await until(async () => (await sink.taken()) >= WARM_UP_MAILS, 'the first mails');
    const [taken, startedAt, transactions] = [await sink.taken(), performance.now(), await commits(pool)];
    const cpuBefore = await cpuOf(workers);
    await until(async () => (await sink.taken()) >= mails, 'the last mail');
    const seconds = (performance.now() - startedAt) / 1_000;
    const measured = mails - taken;
    const cpu = (await cpuOf(workers)) - cpuBefore;
    // Statistics reach the view of them a second late.
    await delay(1_500);
    return {
      mailsPerSecond: measured / seconds,
      transactionsAMail: ((await commits(pool)) - transactions) / measured,
      workerCpuMsAMail: cpu / measured,
    };
  } finally {
    for (const worker of workers) worker.kill('SIGTERM');
    await Promise.all(
      workers.map((worker) => worker.exitCode ?? new Promise((resolve) => worker.once('exit', resolve))),
    );
    sink.stop();
    await ackline.close(2_000);
    await pool.end();
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function publishEvents(ackline, count) {
  const { jsonMessage } = await import('ackline');
  const { eticketEvent } = await import(new URL('testing/eticket-fixtures.js', APP));
  for (let at = 0; at < count; at += 100) {
    const events = Array.from({ length: Math.min(100, count - at) }, () => eticketEvent('one adult, one way'));
    await ackline.publish(
      'eticket-confirmed',
      events.map((event) => jsonMessage(event, { id: event.eventId, key: event.booking.id })),
    );
  }
}

function startWorker(databaseUrl, smtpPort) {
  const profile = values['cpu-prof'];
  return spawn(
    process.execPath,
    [...(profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : []), fileURLToPath(new URL('main.js', APP))],
    {
      env: {
        PATH: process.env.PATH,
        DATABASE_URL: databaseUrl,
        SMTP_URL: `smtp://127.0.0.1:${smtpPort}`,
        PORT: '0',
        LOG_LEVEL: 'warn',
        MAIL_PDF: String(values.pdf),
        MAIL_CONCURRENCY: values.concurrency,
      },
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
}

async function startSink() {
  const child = fork(fileURLToPath(new URL('sink.mjs', import.meta.url)));
  const answer = () => new Promise((resolve) => child.once('message', resolve));
  const { port } = await answer();
  return {
    port,
    taken: async () => {
      const answered = answer();
      child.send('how many?');
      return (await answered).taken;
    },
    stop: () => child.disconnect(),
  };
}

async function commits(pool) {
  const { rows } = await pool.query('SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()');
  return Number(rows[0].xact_commit);
}

/** Milliseconds of CPU that processes have used; NaN where there is no /proc. */
async function cpuOf(workers) {
  const { readFile } = await import('node:fs/promises');
  let ticks = 0;
  for (const { pid } of workers) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks * 10;
}

async function until(condition, what) {
  const deadline = performance.now() + DEADLINE_MS;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`${what} did not come in time`);
    await delay(20);
  }
}

function ms(value) {
  return `${value.toFixed(1)} ms`;
}

function say(line) {
  process.stdout.write(`${line}\n`);
}
