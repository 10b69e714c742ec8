/**
 * A sender, a processor and an inspector, each a process: kill any of them, at any moment, and nothing is lost.
 * `KAFKA_BROKERS=localhost:9092 npm start -w examples/stand-alone`, or with DATABASE_URL=…
 *
 * Without an argument it starts all three and starts again whichever ends. With `sender`, `processor` or `inspector` it
 * is that one: start as many processors as you like.
 */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Ackline, jsonMessage, readJson } from 'ackline';
import { driverFromEnvironment } from 'ackline/environment';

const name = process.env['EXAMPLE_QUEUE'] ?? 'example-jobs';
const [jobs, results, group] = [name, `${name}-results`, 'workers'];
const role = process.argv[2];
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort());
process.once('disconnect', () => stop.abort()); // whoever started this one is gone

/** Publishes ten jobs a second; `sender 50` ends after fifty. A job that `publish` has resolved for is never lost. */
async function sender(ackline: Ackline): Promise<void> {
  const count = Number(process.argv[3] ?? Infinity);
  for (let n = 1; n <= count && !stop.signal.aborted; n++) {
    await ackline.publish(jobs, jsonMessage({ n, at: new Date() }, { key: `customer-${n % 7}` }));
    await pause(100);
  }
}

/** Does the jobs, five at once. One in twenty fails at its first delivery; one in fifty always: a dead letter. */
async function processor(ackline: Ackline): Promise<void> {
  const options = { queue: jobs, group, concurrency: 5, maxDeliveries: 3, backoff: { baseMs: 200, maxMs: 1_000 } };
  ackline.consume({ ...options, visibilityTimeoutMs: 6_000 }, async ({ message, deliveryCount }) => {
    const { n } = readJson(message) as { readonly n: number };
    await pause(100 + Math.random() * 200);
    if (n % 50 === 0) throw Object.assign(new Error('never works'), { code: 'hopeless' });
    if (n % 20 === 0 && deliveryCount === 1) throw new Error('works the second time');
    await ackline.publish(results, jsonMessage({ job: message.id })); // before the ack: twice rather than never
  });
  await stopped();
}

/** Compares what was published with what was done, from the queues themselves: it needs no memory of its own. */
async function inspector(ackline: Ackline): Promise<void> {
  const sent = new Set<string>();
  const done = new Map<string, number>();
  await Promise.all([
    ackline.tail({ queue: jobs, from: 'beginning' }, ({ id }) => void sent.add(id)).ready,
    ackline.tail({ queue: results, from: 'beginning' }, (message) => {
      const { job } = readJson(message) as { readonly job: string };
      done.set(job, (done.get(job) ?? 0) + 1);
    }).ready,
  ]);
  while (!stop.signal.aborted) {
    const { ready, waiting, inFlight, deadLetters } = await ackline.stats(jobs, group);
    const twice = [...done.values()].filter((times) => times > 1).length;
    console.log(
      `sent ${sent.size}, done ${done.size}, twice ${twice}, dead letters ${deadLetters}, ` +
        `to do ${ready + waiting + inFlight}`,
    );
    await pause(1_000);
  }
}

/** Starts the three, and again whichever ends before Ctrl+C. */
function start(part: string): void {
  const child = fork(fileURLToPath(import.meta.url), [part]);
  console.log(`${part} runs as process ${child.pid}: kill -9 ${child.pid}`);
  child.once('exit', () => {
    if (!stop.signal.aborted) setTimeout(() => start(part), 500);
  });
  stop.signal.addEventListener('abort', () => child.kill('SIGTERM'), { once: true });
}

function stopped(): Promise<void> {
  return new Promise((resolve) => stop.signal.addEventListener('abort', () => resolve(), { once: true }));
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

const roles = { sender, processor, inspector };
if (role === undefined) {
  for (const part of Object.keys(roles)) start(part);
} else {
  const play = roles[role as keyof typeof roles];
  const ackline = new Ackline({ driver: await driverFromEnvironment() });
  await play(ackline);
  await ackline.close();
  process.exit(0);
}
