/** ackline on Kafka beside plain kafkajs: the same messages, the same broker, one after the other in every round. */
import { inProcess, latencies } from './processes.mjs';
import { median, quantile, table, tenths, whole } from './figures.mjs';

const PARTITIONS = 8;
const CONCURRENCY = 100;
const BATCH = 500;
const PER_SECOND = 500;
const MIX_MESSAGES = 5_000;

export async function kafkaTable({ brokers, messages, runs, seconds, say }) {
  const name = `bench-${process.pid}-${Date.now()}`;
  const setting = (queue, more) => ({
    kafkaBrokers: brokers,
    queue: `${name}-${queue}`,
    partitions: PARTITIONS,
    ...more,
  });
  const ackline = (queue) => setting(queue, { candidate: 'ackline' });
  const kafkajs = (mode) => (queue) => setting(queue, { candidate: 'kafkajs', mode });
  const candidates = { ackline, eachBatch: kafkajs('eachBatch'), eachMessage: kafkajs('eachMessage') };
  const enqueue = { ackline: [], kafkajs: [] };
  const handled = { ackline: [], eachBatch: [], eachMessage: [] };
  const cpu = { ackline: [], eachBatch: [], eachMessage: [] };
  const heard = { ackline: [], eachBatch: [] };
  const mix = { ratio: [], ms: [], behindSlow: [] };
  let maxRssMb = 0;

  await makeQueues(
    brokers,
    ['backlog', 'publish', 'latency-ackline', 'latency-kafkajs'].map((queue) => setting(queue).queue),
  );
  for (let run = 1; run <= runs; run += 1) {
    const share = Math.ceil(messages / runs / BATCH) * BATCH;
    // What ackline enqueues is the backlog that all handle; kafkajs's share goes elsewhere.
    const ours = await inProcess(ackline('backlog'), 'publish', { messages: share, batch: BATCH });
    const theirs = await inProcess(kafkajs('eachBatch')('publish'), 'publish', { messages: share, batch: BATCH });
    enqueue.ackline.push(ours.perSecond);
    enqueue.kafkajs.push(theirs.perSecond);
    maxRssMb = Math.max(maxRssMb, ours.maxRssMb);
    say(`enqueue ${run}/${runs}: ackline ${whole(ours.perSecond)}/s, kafkajs ${whole(theirs.perSecond)}/s`);
  }
  const backlog = Math.ceil(messages / runs / BATCH) * BATCH * runs;
  for (let run = 1; run <= runs; run += 1) {
    for (const [candidate, of] of inTurn(Object.entries(candidates), run)) {
      const options = {
        group: `handled-${candidate.toLowerCase()}-${run}`,
        concurrency: CONCURRENCY,
        messages: backlog,
      };
      const result = await inProcess(of('backlog'), 'drain', options);
      handled[candidate].push(result.perSecond);
      cpu[candidate].push(result.cpuUsEach);
      if (candidate === 'ackline') maxRssMb = Math.max(maxRssMb, result.maxRssMb);
      say(
        `handled ${run}/${runs}: ${candidate} ${whole(result.perSecond)}/s, ${tenths(result.cpuUsEach)} µs of CPU each`,
      );
    }
  }
  for (let run = 1; run <= runs; run += 1) {
    for (const candidate of inTurn(['ackline', 'eachBatch'], run)) {
      const queue = candidate === 'ackline' ? 'latency-ackline' : 'latency-kafkajs';
      const options = {
        group: `latency-${run}`,
        concurrency: CONCURRENCY,
        messages: seconds * PER_SECOND,
        perSecond: PER_SECOND,
      };
      const { latencies: these } = await latencies(candidates[candidate](queue), {
        ...options,
        group: `latency-${candidate.toLowerCase()}`,
      });
      heard[candidate].push({ p50: quantile(these, 0.5), p99: quantile(these, 0.99) });
      const last = heard[candidate].at(-1);
      say(`latency ${run}/${runs}: ${candidate} p50 ${tenths(last.p50)} ms, p99 ${tenths(last.p99)} ms`);
    }
  }
  for (let run = 1; run <= runs; run += 1) {
    const queue = `mix-${run}`;
    await makeQueues(brokers, [setting(queue).queue]);
    const options = { concurrency: CONCURRENCY, messages: MIX_MESSAGES };
    await inProcess(ackline(queue), 'publish', { messages: MIX_MESSAGES, batch: BATCH });
    const array = await inProcess(ackline(queue), 'array', options);
    const ours = await inProcess(ackline(queue), 'mix', { ...options, group: 'mix' });
    mix.ratio.push(ours.ms / array.ms);
    mix.ms.push(ours.ms);
    mix.behindSlow.push(quantile(ours.behindSlowMs, 0.99));
    say(`slow mix ${run}/${runs}: ${tenths(ours.ms / 1_000)} s, ${(ours.ms / array.ms).toFixed(3)} of the array's`);
  }
  const figures = {
    enqueuePerSecond: median(enqueue.ackline),
    handledPerSecond: median(handled.ackline),
    eachBatchPerSecond: median(handled.eachBatch),
    eachMessagePerSecond: median(handled.eachMessage),
    p50Ms: median(heard.ackline.map(({ p50 }) => p50)),
    p99Ms: median(heard.ackline.map(({ p99 }) => p99)),
    eachBatchP50Ms: median(heard.eachBatch.map(({ p50 }) => p50)),
    eachBatchP99Ms: median(heard.eachBatch.map(({ p99 }) => p99)),
    slowMixOverArray: median(mix.ratio),
    fastP99Ms: median(mix.behindSlow),
    maxRssMb,
  };
  const text = table([
    ['Kafka: 1 KiB, 8 partitions, acks=all', 'ackline', 'eachBatch', 'eachMessage', 'ackline/eachBatch'],
    [
      'enqueued a second, batches of 500',
      whole(figures.enqueuePerSecond),
      whole(median(enqueue.kafkajs)),
      '',
      ratio(figures.enqueuePerSecond, median(enqueue.kafkajs)),
    ],
    [
      `handled and acked a second, of ${whole(backlog)}`,
      whole(figures.handledPerSecond),
      whole(figures.eachBatchPerSecond),
      whole(figures.eachMessagePerSecond),
      ratio(figures.handledPerSecond, figures.eachBatchPerSecond),
    ],
    [
      'µs of CPU a message handled',
      tenths(median(cpu.ackline)),
      tenths(median(cpu.eachBatch)),
      tenths(median(cpu.eachMessage)),
      ratio(median(cpu.eachBatch), median(cpu.ackline)),
    ],
    ['p50 from enqueue to handler at 500/s, ms', tenths(figures.p50Ms), tenths(figures.eachBatchP50Ms), '', ''],
    ['p99 from enqueue to handler at 500/s, ms', tenths(figures.p99Ms), tenths(figures.eachBatchP99Ms), '', ''],
    ['5,000 × 50 ms, 1 % 3 s: of the array’s time', figures.slowMixOverArray.toFixed(3), '', '', ''],
    ['p99 wait behind a slow one, ms', tenths(figures.fastP99Ms), '', '', ''],
    ['most memory, MB', whole(maxRssMb), '', '', ''],
  ]);
  return { figures, text };
}

async function makeQueues(brokers, topics) {
  const { default: kafkajs } = await import('kafkajs');
  const admin = new kafkajs.Kafka({ brokers, logLevel: kafkajs.logLevel.NOTHING }).admin();
  await admin.connect();
  const { brokers: nodes } = await admin.describeCluster();
  const replicationFactor = Math.min(3, nodes.length);
  await admin.createTopics({
    topics: topics.map((topic) => ({ topic, numPartitions: PARTITIONS, replicationFactor })),
    waitForLeaders: true,
  });
  await admin.disconnect();
}

/** Nobody is always first. */
function inTurn(list, run) {
  const first = (run - 1) % list.length;
  return [...list.slice(first), ...list.slice(0, first)];
}

function ratio(ours, theirs) {
  return (ours / theirs).toFixed(2);
}
