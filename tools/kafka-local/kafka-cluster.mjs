/**
 * A real Kafka cluster on this machine, for development and tests: one broker, or three.
 *
 * Runs the public image where a Docker engine answers, else the same version's jars from Maven under Java.
 * Its folder holds the brokers' data and `cluster.json` (ports, process ids), so that another process can end the
 * cluster or, after a crash, bring it up again on the same ports with the same data.
 */
import { spawn, execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile, open } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { SECURE_USER, ensureCertificates, scramArguments, secureProperties } from './secure-listener.mjs';

const run = promisify(execFile);
const here = dirname(fileURLToPath(import.meta.url));
export const KAFKA_VERSION = '4.3.1';
const CLUSTER_ID = '5L6g3nShT-eMCtK--X86sw';
const READY_DEADLINE_MS = 180_000;

/** Which way a broker can run here: 'docker', 'java', or undefined where neither can. */
export async function availableEngine() {
  if (await answers('docker', ['info'])) return 'docker';
  return (await canRunKafkaTools()) ? 'java' : undefined;
}

/** Whether Kafka's own programs run here: Java, and their jars or Maven. */
export async function canRunKafkaTools() {
  return (await answers('java', ['-version'])) && (existsSync(jarFolder()) || (await answers('mvn', ['-version'])));
}

/**
 * Starts a cluster, or finishes bringing up the one that `dir` already describes.
 * @param {{ brokers?: 1 | 3, dir?: string, ports?: number[], engine?: 'docker' | 'java', secure?: boolean, heapMb?: number, config?: Record<string, string | number> }} [options]
 */
export async function startKafka(options = {}) {
  const dir = resolve(options.dir ?? process.env.KAFKA_LOCAL_DIR ?? join(here, '../../.kafka-local'));
  const engine = options.engine ?? (await availableEngine());
  if (!engine) throw new Error('Kafka needs a Docker engine, or Java 17 and Maven; neither was found.');
  await mkdir(dir, { recursive: true });
  let plan = await readPlan(dir);
  if (plan && options.brokers && plan.nodes.length !== options.brokers) {
    if (await anyRunning(plan)) {
      throw new Error(`${dir} holds a running cluster of ${plan.nodes.length} broker(s); take it down first.`);
    }
    await rm(dir, { recursive: true, force: true });
    await mkdir(dir, { recursive: true });
    plan = undefined;
  }
  plan ??= await newPlan(dir, engine, options);
  await writePlan(plan);
  if (plan.tls) await ensureCertificates(plan.dir);
  if (plan.engine === 'java') await ensureJars();
  else await ensureNetwork(plan);
  await Promise.all(plan.nodes.map((node) => startNode(plan, node)));
  await writePlan(plan);
  return clusterOf(plan);
}

/** Ends the cluster that `dir` describes, and only that; with `{ remove: true }` its data too. Resolves with whether there was one. */
export async function stopKafka(
  dir = process.env.KAFKA_LOCAL_DIR ?? join(here, '../../.kafka-local'),
  { remove = false } = {},
) {
  const plan = await readPlan(resolve(dir));
  if (!plan) return false;
  await clusterOf(plan).stop({ remove });
  return true;
}

function clusterOf(plan) {
  const nodeAt = (n) => {
    const node = plan.nodes[n - 1];
    if (!node) throw new Error(`No broker ${n}: brokers are numbered 1 to ${plan.nodes.length}.`);
    return node;
  };
  const end = async (n, signal) => {
    await endNode(plan, nodeAt(n), signal);
    await writePlan(plan);
  };
  return {
    dir: plan.dir,
    engine: plan.engine,
    bootstrap: plan.nodes.map((node) => `127.0.0.1:${node.port}`).join(','),
    /** The listeners that ask for TLS and a log-in, and how to pass them; undefined without `secure`. */
    secure: plan.tls && {
      bootstrap: plan.nodes.map((node) => `127.0.0.1:${node.securePort}`).join(','),
      caFile: plan.tls.ca,
      ...SECURE_USER,
    },
    /** kill -9, as a crash. */
    kill: (n) => end(n, 'SIGKILL'),
    /** An orderly shutdown of one broker. */
    stopBroker: (n) => end(n, 'SIGTERM'),
    /** Starts a broker that was killed or stopped; resolves when it serves clients again. */
    start: async (n) => {
      await startNode(plan, nodeAt(n));
      await writePlan(plan);
    },
    /** Ends every broker; with `{ remove: true }` its data too. */
    stop: async ({ remove = false } = {}) => {
      await Promise.all(plan.nodes.map((node) => endNode(plan, node, remove ? 'SIGKILL' : 'SIGTERM')));
      if (remove && plan.engine === 'docker') await removeContainers(plan);
      await writePlan(plan);
      if (remove) await rm(plan.dir, { recursive: true, force: true });
    },
  };
}

async function newPlan(dir, engine, options) {
  const count = options.brokers ?? 1;
  if (count !== 1 && count !== 3) throw new Error(`--brokers takes 1 or 3, not ${count}.`);
  const ports = options.ports ?? [];
  if (options.secure && engine !== 'java') throw new Error('A secure Kafka runs by Java here: --with java.');
  const taken = await freePorts(count * 3);
  const nodes = Array.from({ length: count }, (_, index) => ({
    id: index + 1,
    port: ports[index] ?? taken[index],
    controllerPort: taken[count + index],
    securePort: taken[count * 2 + index],
    pid: undefined,
    container: engine === 'docker' ? `kafka-local-${process.pid}-${index + 1}` : undefined,
  }));
  return {
    dir,
    engine,
    nodes,
    network: `kafka-local-${process.pid}`,
    ...(options.secure && { tls: await ensureCertificates(dir) }),
    heapMb: options.heapMb ?? 384,
    config: options.config ?? {},
  };
}

async function startNode(plan, node) {
  if (await isRunning(plan, node)) return waitUntilReady(plan, node);
  if (plan.engine === 'docker') await startContainer(plan, node);
  else await startJava(plan, node);
  await waitUntilReady(plan, node);
}

async function startJava(plan, node) {
  const folder = join(plan.dir, `broker-${node.id}`);
  await mkdir(folder, { recursive: true });
  const config = join(folder, 'server.properties');
  await writeFile(config, propertiesText(javaProperties(plan, node, folder)));
  const classpath = join(jarFolder(), '*');
  if (!existsSync(join(folder, 'data', 'meta.properties'))) {
    await run('java', [
      '-Xmx128m',
      '-cp',
      classpath,
      'kafka.tools.StorageTool',
      'format',
      '-t',
      CLUSTER_ID,
      '-c',
      config,
      '--ignore-formatted',
      ...(plan.tls ? scramArguments() : []),
    ]);
  }
  const log = await open(join(folder, 'kafka.log'), 'a');
  const child = spawn(
    'java',
    [
      `-Xmx${plan.heapMb}m`,
      `-Xms${Math.min(128, plan.heapMb)}m`,
      '-XX:+UseSerialGC',
      '-XX:TieredStopAtLevel=4',
      '-cp',
      classpath,
      'kafka.Kafka',
      config,
    ],
    { detached: true, stdio: ['ignore', log.fd, log.fd] },
  );
  await new Promise((started, failed) => child.once('spawn', started).once('error', failed));
  child.unref();
  await log.close();
  node.pid = child.pid;
  await writePlan(plan);
}

function sharedProperties(plan, node) {
  const replicas = Math.min(3, plan.nodes.length);
  return {
    'node.id': node.id,
    'process.roles': 'broker,controller',
    'controller.listener.names': 'CONTROLLER',
    'offsets.topic.replication.factor': replicas,
    'offsets.topic.num.partitions': 4,
    'transaction.state.log.replication.factor': replicas,
    'transaction.state.log.min.isr': Math.min(2, replicas),
    'transaction.state.log.num.partitions': 2,
    'share.coordinator.state.topic.replication.factor': replicas,
    'share.coordinator.state.topic.min.isr': Math.min(2, replicas),
    'default.replication.factor': replicas,
    'min.insync.replicas': Math.min(2, replicas),
    'auto.create.topics.enable': false,
    'group.initial.rebalance.delay.ms': 0,
    // Tests end leases within seconds; a production broker keeps its 6 s.
    'group.min.session.timeout.ms': 500,
    'broker.session.timeout.ms': 4000,
    'broker.heartbeat.interval.ms': 500,
    'log.cleaner.dedupe.buffer.size': 16_777_216,
    'log.retention.check.interval.ms': 10_000,
    'num.network.threads': 2,
    'num.io.threads': 4,
    ...plan.config,
  };
}

function javaProperties(plan, node, folder) {
  const listeners = [
    `PLAINTEXT://127.0.0.1:${node.port}`,
    ...(plan.tls ? [`SECURE://127.0.0.1:${node.securePort}`] : []),
  ];
  return {
    ...sharedProperties(plan, node),
    listeners: [...listeners, `CONTROLLER://127.0.0.1:${node.controllerPort}`].join(','),
    'advertised.listeners': listeners.join(','),
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SECURE:SASL_SSL',
    ...(plan.tls ? secureProperties(plan.tls) : {}),
    'controller.quorum.voters': plan.nodes.map((each) => `${each.id}@127.0.0.1:${each.controllerPort}`).join(','),
    'log.dirs': join(folder, 'data'),
  };
}

async function startContainer(plan, node) {
  const existing = await run('docker', ['ps', '-aq', '--filter', `name=^${node.container}$`]);
  if (existing.stdout.trim()) {
    await run('docker', ['start', node.container]);
    return;
  }
  const properties = {
    ...sharedProperties(plan, node),
    listeners: `PLAINTEXT://:${node.port},INTERNAL://:29092,CONTROLLER://:29093`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${node.port},INTERNAL://${node.container}:29092`,
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'inter.broker.listener.name': 'INTERNAL',
    'controller.quorum.voters': plan.nodes.map((each) => `${each.id}@${each.container}:29093`).join(','),
  };
  const environment = Object.entries(properties).flatMap(([name, value]) => [
    '-e',
    `KAFKA_${name.toUpperCase().replaceAll('.', '_')}=${value}`,
  ]);
  await run('docker', [
    'run',
    '-d',
    '--name',
    node.container,
    '--network',
    plan.network,
    '-p',
    `127.0.0.1:${node.port}:${node.port}`,
    '-e',
    `CLUSTER_ID=${CLUSTER_ID}`,
    '-e',
    `KAFKA_HEAP_OPTS=-Xmx${plan.heapMb}m`,
    ...environment,
    `apache/kafka:${KAFKA_VERSION}`,
  ]);
}

async function endNode(plan, node, signal) {
  if (plan.engine === 'docker') {
    if (signal === 'SIGKILL') await run('docker', ['kill', node.container]).catch(() => undefined);
    else await run('docker', ['stop', '-t', '20', node.container]).catch(() => undefined);
    return;
  }
  if (!(await isRunning(plan, node))) return;
  process.kill(node.pid, signal);
  const deadline = Date.now() + 30_000;
  while (await isRunning(plan, node)) {
    if (Date.now() > deadline) process.kill(node.pid, 'SIGKILL');
    await sleep(50);
  }
  node.pid = undefined;
}

/** A process id may have been given to another program since: it must be ours by its command line. */
async function isRunning(plan, node) {
  if (plan.engine === 'docker') {
    const shown = await run('docker', ['inspect', '-f', '{{.State.Running}}', node.container]).catch(() => undefined);
    return shown?.stdout.trim() === 'true';
  }
  if (!node.pid) return false;
  const shown = await run('ps', ['-o', 'stat=,args=', '-p', String(node.pid)]).catch(() => undefined);
  return (
    shown !== undefined && shown.stdout.includes(join(plan.dir, `broker-${node.id}`)) && !shown.stdout.startsWith('Z')
  );
}

async function anyRunning(plan) {
  return (await Promise.all(plan.nodes.map((node) => isRunning(plan, node)))).includes(true);
}

/** Ready means that the broker answers a Metadata request which names every living broker and a controller. */
async function waitUntilReady(plan, node) {
  const deadline = Date.now() + READY_DEADLINE_MS;
  let why = 'no answer';
  while (Date.now() < deadline) {
    if (plan.engine === 'java' && !(await isRunning(plan, node))) {
      throw new Error(
        `Broker ${node.id} ended while starting; see ${join(plan.dir, `broker-${node.id}`, 'kafka.log')}.`,
      );
    }
    try {
      if (await answersApiVersions(node.port)) return;
    } catch (error) {
      why = error.message;
    }
    await sleep(150);
  }
  throw new Error(`Broker ${node.id} on port ${node.port} was not ready within ${READY_DEADLINE_MS / 1000} s: ${why}.`);
}

/** Sends ApiVersions v0: a broker in recovery or without a controller accepts connections, but does not answer it. */
function answersApiVersions(port) {
  return new Promise((done, failed) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.setTimeout(1000, () => socket.destroy(new Error('no answer in a second')));
    socket.once('error', failed);
    // Docker listens before the broker does, and hangs up.
    socket.once('close', () => failed(new Error('the connection was closed')));
    socket.once('connect', () => {
      const body = Buffer.from([0, 18, 0, 0, 0, 0, 0, 1, 0, 1, 0x61]);
      const size = Buffer.alloc(4);
      size.writeInt32BE(body.length);
      socket.write(Buffer.concat([size, body]));
    });
    let answer = Buffer.alloc(0);
    // It may come in pieces: Docker's proxy passes on the length first.
    socket.on('data', (data) => {
      answer = Buffer.concat([answer, data]);
      if (answer.length < 10) return;
      done(answer.readInt16BE(8) === 0);
      socket.destroy();
    });
  });
}

/**
 * Runs one of Kafka's own command-line tools, by its class.
 * @param {{ input?: string }} [options]
 * @returns {Promise<string>} what it printed
 */
export async function runKafkaTool(mainClass, args, { input = '' } = {}) {
  await ensureJars();
  const java = ['-Xmx128m', '-XX:TieredStopAtLevel=1', '-cp', join(jarFolder(), '*'), mainClass, ...args];
  const child = run('java', java, { maxBuffer: 64 * 1024 * 1024, timeout: 120_000 });
  child.child.stdin.end(input);
  return (await child).stdout;
}

async function ensureJars() {
  const folder = jarFolder();
  if (existsSync(folder)) return;
  const building = `${folder}.${process.pid}`;
  await mkdir(building, { recursive: true });
  await run(
    'mvn',
    [
      '-q',
      '-B',
      '-f',
      join(here, 'pom.xml'),
      `-Dkafka.version=${KAFKA_VERSION}`,
      'dependency:copy-dependencies',
      `-DoutputDirectory=${building}`,
    ],
    {
      maxBuffer: 16 * 1024 * 1024,
    },
  );
  await rename(building, folder).catch(() => rm(building, { recursive: true, force: true }));
}

function jarFolder() {
  return join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'kafka-local', KAFKA_VERSION);
}

async function removeContainers(plan) {
  const names = plan.nodes.map(({ container }) => container);
  await run('docker', ['rm', '-f', '-v', ...names]).catch(() => undefined);
  await run('docker', ['network', 'rm', plan.network]).catch(() => undefined);
}

async function ensureNetwork(plan) {
  await run('docker', ['network', 'create', plan.network]).catch(() => undefined);
}

async function readPlan(dir) {
  try {
    return { ...JSON.parse(await readFile(join(dir, 'cluster.json'), 'utf8')), dir };
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw new Error(`${join(dir, 'cluster.json')} cannot be read; remove the folder to start anew.`, { cause: error });
  }
}

let writes = 0;

async function writePlan(plan) {
  const file = join(plan.dir, 'cluster.json');
  // Brokers start and end beside each other: each writing has a name of its own until it is whole.
  const written = `${file}.${process.pid}.${++writes}`;
  await writeFile(written, JSON.stringify(plan, undefined, 2));
  await rename(written, file);
}

function propertiesText(properties) {
  return Object.entries(properties)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

async function freePorts(count) {
  const servers = await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise((done) => {
          const server = createServer().listen(0, '127.0.0.1', () => done(server));
        }),
    ),
  );
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  return ports;
}

async function answers(command, args) {
  return run(command, args, { timeout: 15_000 }).then(
    () => true,
    () => false,
  );
}
