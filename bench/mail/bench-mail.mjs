#!/usr/bin/env node
/**
 * What a mail costs: CPU to make one, and how many go through one, two and four workers a second.
 *
 * Workers are the real thing: processes of their own that take events from a queue, keep their send record in PostgreSQL
 * and talk SMTP to a sink that takes everything. All of them are up and warm before the events come that are counted; the
 * clock runs from the first of those to the last mail.
 */
import { fork, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { queueUnderTest } from './queue-under-test.mjs';

const USAGE = `npm run bench:mail -- [options]

  --queue Q       postgres, or kafka: TEST_KAFKA_BROKERS, else a broker started for it (kafka where that is set)
  --mails N       events for each number of workers (1000)
  --workers A,B   numbers of workers to try (1,2,4)
  --rendered N    mails made for each figure of CPU time (200)
  --concurrency N mails under way in a worker at once (30)
  --pdf           workers attach the PDF receipt too
  --json FILE     write { renderCpuMs, renderPdfCpuMs, renderPdfEmbeddedFontCpuMs, mailsPerSecond, … } there
  --cpu-prof DIR  profile the workers' CPU into DIR
`;

const { values } = parseArgs({
  options: {
    queue: { type: 'string', default: process.env.TEST_KAFKA_BROKERS ? 'kafka' : 'postgres' },
    mails: { type: 'string', default: '1000' },
    workers: { type: 'string', default: '1,2,4' },
    rendered: { type: 'string', default: '200' },
    concurrency: { type: 'string', default: '30' },
    pdf: { type: 'boolean', default: false },
    json: { type: 'string' },
    'cpu-prof': { type: 'string' },
    help: { type: 'boolean' },
  },
});

const APP = new URL('../../apps/mail-eticket/dist/', import.meta.url);
const DEADLINE_MS = 600_000;
/** For each worker: enough to be connected, compiled and warm. */
const WARM_UP_MAILS = 200;

if (values.help) process.stdout.write(USAGE);
else if (values.queue === 'postgres' || values.queue === 'kafka') await main(values.queue);
else {
  process.stderr.write(`--queue is ${values.queue}: use postgres or kafka.\n`);
  process.exitCode = 2;
}

async function main(queueName) {
  const cores = availableParallelism();
  say(`cores ${cores}, load ${loadavg()[0].toFixed(1)}, node ${process.version}, queue on ${queueName}`);
  const result = {
    cores,
    queue: queueName,
    loadBefore: loadavg()[0],
    ...(await renderingCpu(Number(values.rendered))),
  };
  say(`CPU a mail: ${ms(result.renderCpuMs)} without PDF, ${ms(result.renderPdfCpuMs)} with it,`);
  say(`            ${ms(result.renderPdfEmbeddedFontCpuMs)} with a font embedded in it`);
  Object.assign(result, { mailsPerSecond: {}, transactionsAMail: {}, workerCpuMsAMail: {}, databaseCpuMsAMail: {} });
  const queue = await queueUnderTest(queueName);
  try {
    for (const count of values.workers.split(',').map(Number)) {
      const run = await throughput(queue, count, Number(values.mails));
      for (const [figure, value] of Object.entries(run)) result[figure][count] = value;
      say(
        `${count} worker${count === 1 ? '' : 's'}: ${run.mailsPerSecond.toFixed(0)} mails/s; a mail takes ` +
          `${ms(run.workerCpuMsAMail)} of worker CPU, ${ms(run.databaseCpuMsAMail)} of PostgreSQL’s and ${run.transactionsAMail.toFixed(2)} transactions`,
      );
    }
  } finally {
    await queue.stop();
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

async function throughput(queue, workerCount, mails) {
  const { createLogger, createPool, openQueueDriver, startEmbeddedPostgres } = await import('@eticket/service');
  const { Ackline } = await import('ackline');
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-mail-'));
  const logger = createLogger({ service: 'bench', level: 'silent' });
  const postgres = await startEmbeddedPostgres({ dataDir, logger });
  const databaseUrl = postgres.connectionString;
  const sink = await startSink();
  const ackline = new Ackline({
    driver: openQueueDriver({ databaseUrl, kafka: queue.kafka, clientId: 'bench-mail', logger }),
  });
  const pool = createPool({ connectionString: databaseUrl, applicationName: 'bench', logger });
  const workers = [];
  try {
    for (let at = 0; at < workerCount; at += 1) {
      workers.push(startWorker({ DATABASE_URL: databaseUrl, ...queue.environment }, sink.port));
    }
    const warmUp = WARM_UP_MAILS * workerCount;
    await publishEvents(ackline, warmUp);
    await until(async () => (await sink.taken()) >= warmUp, 'the first mails');
    const before = {
      transactions: await commits(pool),
      worker: await cpuOf(pids(workers)),
      database: await databaseCpu(pool),
    };
    const startedAt = performance.now();
    await publishEvents(ackline, mails);
    await until(async () => (await sink.taken()) >= warmUp + mails, 'the last mail');
    const seconds = (performance.now() - startedAt) / 1_000;
    const [worker, database] = [await cpuOf(pids(workers)), await databaseCpu(pool)];
    // Statistics reach the view of them a second late.
    await delay(1_500);
    return {
      mailsPerSecond: mails / seconds,
      transactionsAMail: ((await commits(pool)) - before.transactions) / mails,
      workerCpuMsAMail: (worker - before.worker) / mails,
      databaseCpuMsAMail: (database - before.database) / mails,
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

function startWorker(environment, smtpPort) {
  const profile = values['cpu-prof'];
  return spawn(
    process.execPath,
    [...(profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : []), fileURLToPath(new URL('main.js', APP))],
    {
      env: {
        PATH: process.env.PATH,
        ...environment,
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

function pids(processes) {
  return processes.map(({ pid }) => pid);
}

/** Of PostgreSQL’s processes that serve connections now; those are kept open while a measurement lasts. */
async function databaseCpu(pool) {
  const { rows } = await pool.query('SELECT pid FROM pg_stat_activity');
  return cpuOf(pids(rows));
}

/** Milliseconds of CPU that processes have used; 0 where there is no /proc. */
async function cpuOf(processIds) {
  let ticks = 0;
  for (const pid of processIds) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    ticks += Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
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
