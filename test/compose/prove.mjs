/**
 * Posts every sample booking many times to a pipeline that runs under docker compose, does something to it in the middle,
 * and counts the mails in MailHog: one for each booking that was answered 201, whatever was done.
 *
 *   node test/compose/prove.mjs [--times 50] [--do nothing|kill-worker|scale|kill-broker] [--compose "docker compose"]
 *
 * Run it in the folder of the compose file, with the pipeline up; `kill-broker` needs docker-compose.cluster.yml.
 * Sends to 127.0.0.1 only. Prints a table; ends with 1 when a mail is missing, or is there twice beyond what was in flight.
 */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { sampleBookings } from '@eticket/standalone/sample-bookings';

const { values } = parseArgs({
  options: {
    times: { type: 'string', default: '50' },
    do: { type: 'string', default: 'nothing' },
    compose: { type: 'string', default: 'docker compose' },
    docker: { type: 'string', default: 'docker' },
  },
});
const BOOKING = 'http://127.0.0.1:3000';
const MAILHOG = 'http://127.0.0.1:8025';
const PARALLEL = 8;
const MAIL_DEADLINE_MS = 240_000;
/** Mails that one worker has under way at once: the default of MAIL_CONCURRENCY. */
const IN_FLIGHT_PER_WORKER = 30;

const run = promisify(execFile);
const command = async (line, ...args) => {
  const [program, ...first] = line.split(' ');
  const { stdout } = await run(program, [...first, ...args], { maxBuffer: 64 * 1024 * 1024 });
  return stdout.trim();
};
const compose = (...args) => command(values.compose, ...args);
const docker = (...args) => command(values.docker, ...args);
const containers = async (service) => (await compose('ps', '-q', service)).split('\n').filter(Boolean);

/** What is done, by how many of the bookings have been answered. */
const ACTIONS = {
  nothing: [],
  'kill-worker': [[0.4, async () => void (await docker('kill', '-s', 'KILL', (await containers('mail-eticket'))[0]))]],
  scale: [
    [0, () => compose('up', '-d', '--no-recreate', '--scale', 'mail-eticket=1')],
    [0.3, () => compose('up', '-d', '--no-recreate', '--scale', 'mail-eticket=4')],
    [0.6, () => compose('up', '-d', '--no-recreate', '--scale', 'mail-eticket=2')],
  ],
  'kill-broker': [[0.4, async () => void (await docker('kill', '-s', 'KILL', (await containers('kafka-2'))[0]))]],
};
const actions = ACTIONS[values.do];
if (!actions) throw new Error(`--do ${values.do} is not known: use ${Object.keys(ACTIONS).join(', ')}.`);

/** Asks again when the service says that too much was asked. */
async function get(path) {
  for (;;) {
    const answer = await fetch(`${BOOKING}${path}`, { signal: AbortSignal.timeout(30_000) });
    if (answer.status !== 429) return { status: answer.status, body: await answer.json() };
    await sleep(1_000 * Number(answer.headers.get('retry-after') ?? 1));
  }
}

/** Posts under one key until there is an answer that is final. */
async function book(sample) {
  const key = randomUUID();
  for (let attempt = 1; ; attempt++) {
    const offers = await get(`/api/offers?${new URLSearchParams(sample.search)}`);
    const answer = await fetch(`${BOOKING}/api/bookings`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify(sample.body(offers.body.data[0].id)),
      signal: AbortSignal.timeout(60_000),
    });
    const body = await answer.json();
    if (answer.status === 429 && attempt < 200) {
      await sleep(1_000 * Number(answer.headers.get('retry-after') ?? 1));
      continue;
    }
    return { status: answer.status, reference: body.data?.reference, code: body.code };
  }
}

async function mails() {
  const messages = [];
  for (let start = 0; ; start += 250) {
    const answer = await fetch(`${MAILHOG}/api/v2/messages?start=${start}&limit=250`, {
      signal: AbortSignal.timeout(60_000),
    });
    const page = await answer.json();
    messages.push(...page.items);
    if (start + page.count >= page.total || page.count === 0) return messages;
  }
}

const messageIdOf = (mail) => mail.Content.Headers['Message-ID']?.[0] ?? mail.Content.Headers['Message-Id']?.[0];

const samples = await sampleBookings();
const jobs = Array.from({ length: Number(values.times) }, () => samples).flat();
await fetch(`${MAILHOG}/api/v1/messages`, { method: 'DELETE', signal: AbortSignal.timeout(30_000) });

const wrong = [];
const confirmed = [];
const due = [...actions];
let answered = 0;
let next = 0;
const startedAt = Date.now();
async function worker() {
  while (next < jobs.length) {
    const sample = jobs[next++];
    if (due.length > 0 && answered >= due[0][0] * jobs.length) {
      const [share, act] = due.shift();
      console.log(`${Math.round(share * 100)} % answered: ${values.do}`);
      await act();
    }
    const answer = await book(sample);
    answered += 1;
    if (answer.status !== sample.expected.status || answer.code !== sample.expected.code)
      wrong.push({ sample: sample.name, ...answer });
    if (answer.status === 201) confirmed.push(answer.reference);
  }
}
await Promise.all(Array.from({ length: PARALLEL }, worker));
const postedMs = Date.now() - startedAt;

let all = [];
const deadline = Date.now() + MAIL_DEADLINE_MS;
do {
  await sleep(1_000);
  all = await mails();
} while (new Set(all.map(messageIdOf)).size < confirmed.length && Date.now() < deadline);
// One more look: a second copy would come a moment later.
await sleep(5_000);
all = await mails();
const distinct = new Set(all.map(messageIdOf)).size;
const result = {
  did: values.do,
  posted: jobs.length,
  confirmed: confirmed.length,
  unexpected: wrong.length,
  mails: all.length,
  missing: confirmed.length - distinct,
  twice: all.length - distinct,
  postedMs,
  mailedMs: Date.now() - startedAt - 5_000,
};
console.table([result]);
if (wrong.length > 0) console.table(wrong.slice(0, 10));
const allowedTwice = values.do === 'kill-worker' ? IN_FLIGHT_PER_WORKER : 0;
process.exitCode = wrong.length === 0 && result.missing === 0 && result.twice <= allowedTwice ? 0 : 1;
