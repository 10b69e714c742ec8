/**
 * One process of one candidate. Told by its parent what to do, one task at a time:
 * `drain` a backlog, `listen` for latencies, `mix` slow and fast handlers, or `publish`.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';

const PAYLOAD_BYTES = 1_024;
/** Handlers of the mix: 50 ms, and one in a hundred 3 s. */
const [FAST_MS, SLOW_MS, SLOW_EVERY] = [50, 3_000, 100];

const { candidate, ...setting } = JSON.parse(process.argv[2]);
const { open } = await import(new URL(`candidates/${candidate}.mjs`, import.meta.url));
const client = await open(setting);
const tasks = { join, drain, listen, mix, array, publish, pace, single, flat };

process.on('message', ({ task, ...options }) => {
  void tasks[task](options).then(
    (result) => process.send({ ...result, maxRssMb: process.resourceUsage().maxRSS / 1_024 }),
    (error) => {
      process.stderr.write(`${error.stack}\n`);
      process.exit(1);
    },
  );
});
process.on('disconnect', () => process.exit(0));
process.send({ ready: true });

/** Makes the group. */
async function join({ group, concurrency }) {
  const consumer = await client.consume({
    group,
    concurrency,
    handle: async () => undefined,
    onSettled: () => undefined,
  });
  await consumer.stop();
  return {};
}

/** A backlog of `messages`, handled by nothing and acked: from the first handler to the last durable ack. */
async function drain({ group, concurrency, messages }) {
  const all = signal();
  let [settled, startedAt, cpu] = [0, 0, undefined];
  const consumer = await client.consume({
    group,
    concurrency,
    handle: async () => {
      if (startedAt > 0) return;
      startedAt = performance.now();
      cpu = process.cpuUsage();
    },
    onSettled: (count) => {
      settled += count;
      if (settled >= messages) all.resolve();
    },
  });
  await all.promise;
  const seconds = (performance.now() - startedAt) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  await consumer.stop();
  return { perSecond: messages / seconds, cpuUsEach: (user + system) / messages };
}

/** Handles what comes until all has; latencies from the time in each payload, without those of the warming up. */
async function listen({ group, concurrency, messages, warmUp }) {
  const all = signal();
  const latencies = [];
  const consumer = await client.consume({
    group,
    concurrency,
    handle: async (payload) => {
      latencies.push(msSince(payload));
      if (latencies.length === messages) all.resolve();
    },
    onSettled: () => undefined,
  });
  process.send({ listening: true });
  await Promise.race([all.promise, delay(600_000).then(() => Promise.reject(new Error('messages are missing')))]);
  await consumer.stop();
  return { latencies: latencies.slice(warmUp) };
}

/** Slow and fast handlers from a backlog: the whole time, and how long each start was after that of a slow one before it. */
async function mix({ group, concurrency, messages }) {
  const all = signal();
  const starts = new Map();
  let startedAt = 0;
  const consumer = await client.consume({
    group,
    concurrency,
    handle: async (payload, origin) => {
      startedAt ||= performance.now();
      const index = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength).readUInt32BE(0);
      starts.set(origin, { at: performance.now(), index });
      await delay(durationOf(index));
    },
    onSettled: (count) => (all.left = (all.left ?? messages) - count) === 0 && all.resolve(),
  });
  await all.promise;
  const ms = performance.now() - startedAt;
  await consumer.stop();
  return { ms, behindSlowMs: behindSlow(starts) };
}

/** Starts of the ten messages that stand behind a slow one in its partition, after the start of the slow one. */
function behindSlow(starts) {
  const partitions = new Map();
  for (const [origin, start] of starts) {
    const [partition, offset] = origin.split('/').slice(-2).map(Number);
    if (!partitions.has(partition)) partitions.set(partition, []);
    partitions.get(partition).push({ ...start, offset });
  }
  const behind = [];
  for (const list of partitions.values()) {
    list.sort((a, b) => a.offset - b.offset);
    list.forEach(({ index, at }, place) => {
      if (index % SLOW_EVERY !== 0) return;
      for (const next of list.slice(place + 1, place + 11)) behind.push(Math.max(0, next.at - at));
    });
  }
  return behind;
}

/** The same handlers from an array in memory, as many at once. */
async function array({ concurrency, messages }) {
  const startedAt = performance.now();
  let next = 0;
  const lane = async () => {
    while (next < messages) await delay(durationOf(next++));
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  return { ms: performance.now() - startedAt };
}

function durationOf(index) {
  return index % SLOW_EVERY === 0 ? SLOW_MS : FAST_MS;
}

/** As fast as it goes, in batches, one after another. */
async function publish({ messages, batch }) {
  const startedAt = performance.now();
  const cpu = process.cpuUsage();
  for (let at = 0; at < messages; at += batch) {
    await client.publish(Array.from({ length: Math.min(batch, messages - at) }, (_, index) => payloadOf(at + index)));
  }
  const { user, system } = process.cpuUsage(cpu);
  return { perSecond: messages / ((performance.now() - startedAt) / 1_000), cpuUsEach: (user + system) / messages };
}

/** One call a message, the next after the one before is durable. */
async function single({ messages }) {
  const startedAt = performance.now();
  for (let at = 0; at < messages; at += 1) await client.publishOne(payloadOf(at));
  return { perSecond: messages / ((performance.now() - startedAt) / 1_000) };
}

/** So many a second, each when its time has come, however long the one before takes. */
async function pace({ messages, perSecond }) {
  const startedAt = performance.now();
  const under = new Set();
  for (let at = 0; at < messages; at += 1) {
    const dueMs = startedAt + (at * 1_000) / perSecond - performance.now();
    if (dueMs > 0) await delay(dueMs);
    const published = client.publishOne(payloadOf(at)).finally(() => under.delete(published));
    under.add(published);
  }
  await Promise.all(under);
  return {};
}

/** Memory and handles of this process while messages go through it: a sample each `every` messages. */
async function flat({ group, concurrency, messages, every, batch }) {
  const { readdir } = await import('node:fs/promises');
  const samples = [];
  let [settled, published] = [0, 0];
  const consumer = await client.consume({
    group,
    concurrency,
    handle: async () => undefined,
    onSettled: (count) => (settled += count),
  });
  const sample = async () => {
    globalThis.gc?.();
    const { rss, heapUsed, external } = process.memoryUsage();
    const handles = await readdir('/proc/self/fd').then(
      (names) => names.length,
      () => null,
    );
    samples.push({
      messages: settled,
      rssMb: rss / 2 ** 20,
      heapMb: heapUsed / 2 ** 20,
      externalMb: external / 2 ** 20,
      handles,
    });
  };
  while (published < messages) {
    for (const end = published + every; published < end; published += batch) {
      await client.publish(Array.from({ length: batch }, (_, index) => payloadOf(published + index)));
      while (published - settled > 20_000) await delay(5);
    }
    while (settled < published) await delay(5);
    await sample();
    process.send({ progress: `${settled} messages` });
  }
  await consumer.stop();
  return { samples };
}

function payloadOf(index) {
  const payload = Buffer.alloc(PAYLOAD_BYTES, 0x20 + (index % 0x5f));
  payload.writeUInt32BE(index, 0);
  payload.writeBigUInt64BE(process.hrtime.bigint(), 4);
  return payload;
}

/** The clock is the machine's, the same for all its processes. */
function msSince(payload) {
  const sentAt = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength).readBigUInt64BE(4);
  return Number(process.hrtime.bigint() - sentAt) / 1e6;
}

function signal() {
  let resolve;
  const promise = new Promise((done) => (resolve = done));
  return { promise, resolve };
}
