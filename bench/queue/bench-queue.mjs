#!/usr/bin/env node
/**
 * What ackline costs: on Kafka beside plain kafkajs, on PostgreSQL beside pg-boss.
 *
 * Every candidate runs in processes of its own, one after the other in every round, so that whatever else the machine
 * does hits all alike; each figure is the median of the rounds. Servers are started for it and thrown away, except where
 * TEST_KAFKA_BROKERS names brokers.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { flatTable } from './flat-table.mjs';
import { kafkaTable } from './kafka-table.mjs';
import { findPgBoss } from './pg-boss-home.mjs';
import { historyTable, postgresTable } from './postgres-table.mjs';

const USAGE = `npm run bench:queue -- [options]

  --messages N   backlog to handle on Kafka (1000000); a tenth of it on PostgreSQL
  --runs N       rounds; figures are their medians (5)
  --seconds N    of each round at 500 messages a second (10)
  --only NAME    kafka, postgres: one of the tables
  --flat         instead: memory and file handles while so many messages go through one process
  --history      instead: PostgreSQL with so many settled messages behind
  --json FILE    write { enqueuePerSecond, handledPerSecond, eachBatchPerSecond, …, pg, pgBoss } there

Kafka is started by tools/kafka-local (Docker, or Java and Maven), or named by TEST_KAFKA_BROKERS.
pg-boss 12 needs Node 22.12: on an older one, both candidates of that table run on a Node from npm.
`;

const NO_FIGURES = { enqueuePerSecond: null, bulkPerSecond: null, handledPerSecond: null, p99Ms: null };
const NOTHING_MEASURED = {
  enqueuePerSecond: null,
  handledPerSecond: null,
  eachBatchPerSecond: null,
  eachMessagePerSecond: null,
  p50Ms: null,
  p99Ms: null,
  eachBatchP50Ms: null,
  eachBatchP99Ms: null,
  slowMixOverArray: null,
  fastP99Ms: null,
  maxRssMb: null,
  pg: NO_FIGURES,
  pgBoss: NO_FIGURES,
};

process.exitCode = await main();

async function main() {
  let options;
  try {
    options = readOptions();
  } catch (error) {
    process.stderr.write(`${error.message}\n\n${USAGE}`);
    return 2;
  }
  if (options.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const cores = availableParallelism();
  const loadBefore = loadavg()[0];
  say(`${cores} cores, load ${loadBefore.toFixed(1)}, Node ${process.version}`);
  const result = { ...NOTHING_MEASURED, machine: { cores, node: process.version, loadBefore } };
  const texts = [];
  if (options.only !== 'postgres' && !options.history) await withKafka(options, result, texts);
  if (options.only !== 'kafka') await withPostgres(options, result, texts);
  result.machine.loadAfter = loadavg()[0];
  texts.push(
    `${cores} cores, load ${loadBefore.toFixed(1)} before and ${result.machine.loadAfter.toFixed(1)} after, Node ${process.version}\n`,
  );
  process.stdout.write(texts.join('\n'));
  if (options.json) await writeFile(options.json, `${JSON.stringify(result, null, 2)}\n`);
  return 0;
}

async function withKafka(options, result, texts) {
  const kafka = await startKafka();
  if (!kafka) {
    texts.push('Kafka: not measured. It needs TEST_KAFKA_BROKERS, a Docker engine, or Java 17 and Maven.\n');
    return;
  }
  try {
    if (options.flat) {
      const queue = `flat-${process.pid}-${Date.now()}`;
      const setting = { candidate: 'ackline', kafkaBrokers: kafka.brokers, queue, partitions: 8 };
      texts.push((await flatTable(setting, 'Kafka', { messages: options.messages, say })).text);
      return;
    }
    const { figures, text } = await kafkaTable({ ...options, brokers: kafka.brokers, say });
    Object.assign(result, figures);
    texts.push(text);
  } finally {
    await kafka.stop();
  }
}

async function withPostgres(options, result, texts) {
  const { createLogger, startEmbeddedPostgres } = await import('../../libs/service/dist/index.js');
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-queue-'));
  const postgres = await startEmbeddedPostgres({
    dataDir,
    logger: createLogger({ service: 'bench', level: 'silent' }),
  });
  const databaseUrl = postgres.connectionString;
  try {
    if (options.flat) {
      const setting = { candidate: 'ackline', databaseUrl, queue: 'flat' };
      texts.push((await flatTable(setting, 'PostgreSQL', { messages: options.messages, say })).text);
      return;
    }
    if (options.history) {
      texts.push(await historyTable({ databaseUrl, history: options.messages, say }));
      return;
    }
    const pgBoss = await findPgBoss(say);
    if (pgBoss.why) say(pgBoss.why);
    const messages = Math.ceil(options.messages / 10);
    const { figures, text } = await postgresTable({
      ...options,
      messages,
      databaseUrl,
      pgBoss: pgBoss.why ? undefined : pgBoss,
      say,
    });
    Object.assign(result, figures);
    texts.push(`${text}${pgBoss.why ?? pgBoss.version}\n`);
  } finally {
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function startKafka() {
  const given = process.env.TEST_KAFKA_BROKERS;
  if (given) return { brokers: given.split(','), stop: async () => undefined };
  const tool = await import('../../tools/kafka-local/kafka-cluster.mjs');
  if (!(await tool.availableEngine())) return undefined;
  say('starting a Kafka broker');
  const dir = await mkdtemp(join(tmpdir(), 'bench-queue-kafka-'));
  const cluster = await tool.startKafka({ brokers: 1, dir });
  return { brokers: cluster.bootstrap.split(','), stop: () => cluster.stop({ remove: true }) };
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      messages: { type: 'string', default: '1000000' },
      runs: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '10' },
      only: { type: 'string' },
      flat: { type: 'boolean', default: false },
      history: { type: 'boolean', default: false },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const { only } = values;
  if (only !== undefined && only !== 'kafka' && only !== 'postgres') {
    throw new Error(`--only is ${JSON.stringify(only)}: use kafka or postgres.`);
  }
  if (values.history && only === 'kafka') throw new Error('--history is about PostgreSQL: leave out --only kafka.');
  if (values.history && values.flat) throw new Error('use one of --flat and --history.');
  return {
    ...values,
    messages: whole('messages', values.messages, 10_000),
    runs: whole('runs', values.runs, 1),
    seconds: whole('seconds', values.seconds, 1),
  };
}

function whole(name, text, least) {
  const value = Number(text);
  if (!Number.isInteger(value) || value < least) {
    throw new Error(`--${name} is ${JSON.stringify(text)}: use a whole number, at least ${least}.`);
  }
  return value;
}

function say(line) {
  process.stderr.write(`${line}\n`);
}
