/** The servers of one run: three brokers, and PostgreSQL where a fault needs it. Started when first used, ended together. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, startEmbeddedPostgres } from '@eticket/service';
import kafkajs from 'kafkajs';
import pg from 'pg';
import { startKafka } from '../../tools/kafka-local/kafka-cluster.mjs';
import { rowOf } from './report.mjs';
import { Stage } from './stage.mjs';
import { Tally } from './tally.mjs';

export class Lab {
  #dir;
  #ownKafka = false;
  #postgres;
  #databaseDir;
  #ends = [];
  #stages = [];

  /** @param size `{ short: boolean, minutes: number | undefined }` */
  constructor(size) {
    this.size = size;
  }

  async start() {
    this.#dir = await mkdtemp(join(tmpdir(), 'faults-'));
    // KAFKA_LOCAL_DIR names a cluster that runs already (CI's), which is left running.
    this.#ownKafka = !process.env.KAFKA_LOCAL_DIR;
    this.kafka = await startKafka({ brokers: 3, ...(this.#ownKafka && { dir: join(this.#dir, 'kafka') }) });
    this.brokers = this.kafka.bootstrap.split(',');
  }

  stage(setting = {}) {
    const stage = new Stage({ connection: { kafka: this.brokers }, ...setting });
    this.#stages.push(stage);
    return stage;
  }

  /** By the size of the run: `short`, as it is, or `perMinute` times the minutes asked for. */
  seconds(short, usual, perMinute) {
    return this.size.short ? short : Math.max(usual, perMinute * (this.size.minutes ?? 0));
  }

  count(short, usual, long) {
    if (this.size.short) return short;
    return (this.size.minutes ?? 0) >= 15 ? long : usual;
  }

  async admin(use) {
    const { Kafka, logLevel } = kafkajs;
    const admin = new Kafka({ brokers: this.brokers, logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    return use(admin).finally(() => admin.disconnect());
  }

  /** A database server of this run; killed, it comes back on the same port, as PostgreSQL does after a crash. */
  async postgres() {
    this.#postgres ??= this.#startPostgres();
    return this.#postgres;
  }

  async #startPostgres() {
    // A folder of its own below the public one: as root, PostgreSQL runs as another user.
    const dataDir = await mkdtemp(join(tmpdir(), 'faults-database-'));
    this.#databaseDir = dataDir;
    const server = await startEmbeddedPostgres({
      dataDir,
      logger: createLogger({ service: 'faults', level: 'silent' }),
    });
    const url = server.connectionString;
    return {
      url,
      stop: () => server.stop(),
      kill: async () => {
        const file = await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8');
        process.kill(Number(file.split('\n')[0]), 'SIGKILL');
      },
      pool: () => {
        const pool = new pg.Pool({ connectionString: url, max: 4 });
        pool.on('error', () => undefined);
        this.atEnd(() => pool.end());
        return pool;
      },
    };
  }

  /** After the fault that runs now. */
  atEnd(end) {
    this.#ends.push(end);
  }

  /** What the fault that has just failed had counted so far. */
  rowOfFailure(fault) {
    const stage = this.#stages.at(-1);
    return rowOf(fault, stage?.tally ?? new Tally(), { inFlightAtKill: stage?.tally.inFlight.size ?? 0 });
  }

  /** Ends what one fault left. */
  async clear() {
    await Promise.allSettled(this.#stages.splice(0).map((stage) => stage.close()));
    for (const end of this.#ends.splice(0)) await Promise.resolve(end()).catch(() => undefined);
    // A fault that failed may have left a broker dead.
    for (const broker of [1, 2, 3]) await this.kafka.start(broker);
  }

  async close() {
    await (await this.#postgres?.catch(() => undefined))?.stop();
    if (this.#ownKafka) await this.kafka?.stop({ remove: true });
    for (const dir of [this.#dir, this.#databaseDir]) if (dir) await rm(dir, { recursive: true, force: true });
  }
}
