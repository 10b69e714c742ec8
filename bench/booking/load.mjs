/** HTTP load: as many as go through, or as many as are wanted; and what the times say. */
import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';

const agent = new Agent({ keepAlive: true, maxSockets: 256 });
/** Far above everything that is measured; an answer later than this ends the run. */
const ANSWER_MS = 30_000;

export function post(url, body) {
  const payload = Buffer.from(JSON.stringify(body));
  const headers = { 'content-type': 'application/json', 'content-length': payload.length };
  return () => send(url, 'POST', { ...headers, 'idempotency-key': randomUUID() }, payload, 201);
}

export function get(url) {
  return () => send(url, 'GET', {}, undefined, 200);
}

/** Resolves with the answer's body once it is whole. Any other status than the wanted one ends the run. */
function send(url, method, headers, payload, wanted) {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent, timeout: ANSWER_MS }, (answer) => {
      const chunks = [];
      answer.on('data', (chunk) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        const body = Buffer.concat(chunks);
        if (answer.statusCode === wanted) resolve(body);
        else reject(new Error(`${method} ${url}: ${answer.statusCode} ${body.toString().slice(0, 500)}`));
      });
    });
    sent.on('timeout', () => sent.destroy(new Error(`${method} ${url}: no answer within ${ANSWER_MS} ms`)));
    sent.on('error', reject);
    sent.end(payload);
  });
}

/** How many a second go through `connections` that each ask again as soon as they are answered. */
export async function asManyAsGo(ask, { connections, seconds }) {
  const startedAt = performance.now();
  const end = startedAt + seconds * 1_000;
  let done = 0;
  const worker = async () => {
    while (performance.now() < end) {
      await ask();
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  return done / ((performance.now() - startedAt) / 1_000);
}

/**
 * Asks so often a second whatever the answers do, and gives the time of each in ms: from when it was due, so that one slow
 * answer does not hide those that waited behind it.
 */
export async function atRate(ask, { perSecond, seconds }) {
  const startedAt = performance.now();
  const times = [];
  const answers = [];
  for (let at = 0; at < perSecond * seconds; at += 1) {
    const due = startedAt + (at * 1_000) / perSecond;
    if (due > performance.now()) await delay(due - performance.now());
    // A timer is up to a millisecond late; what is measured begins when the request could have been sent.
    const began = Math.max(due, Math.min(performance.now(), due + 1.5));
    answers.push(ask().then(() => times.push(performance.now() - began)));
  }
  await Promise.all(answers);
  return times;
}

export function quantile(times, share) {
  const sorted = Float64Array.from(times).sort();
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)];
}

export function median(values) {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
