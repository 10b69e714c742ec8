import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

/** As `npm start` runs it; `npm test` has built it. */
const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const SEEN = /^sent (\d+), done (\d+), twice (\d+), dead letters (\d+), to do (\d+)$/gm;

interface Sight {
  readonly sent: number;
  readonly done: number;
  readonly dead: number;
  readonly toDo: number;
}

const places = ['PostgreSQL', ...(process.env.TEST_KAFKA_BROKERS ? ['Kafka'] : [])];

describe.each(places)('the stand-alone example on %s', (place) => {
  const name = `example_${randomBytes(6).toString('hex')}`;
  const children = new Set<ChildProcess>();
  let admin: pg.Client;
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    const url = new URL(process.env.TEST_DATABASE_URL!);
    admin = new pg.Client({ connectionString: url.href });
    await admin.connect();
    await admin.query(`create database ${name}`);
    url.pathname = `/${name}`;
    const { DATABASE_URL: _1, KAFKA_BROKERS: _2, ...inherited } = process.env;
    const where = place === 'Kafka' ? { KAFKA_BROKERS: process.env.TEST_KAFKA_BROKERS } : { DATABASE_URL: url.href };
    env = { ...inherited, ...where, EXAMPLE_QUEUE: name.replace('_', '-') };
  });

  afterAll(async () => {
    await Promise.all([...children].map(killed));
    await admin.query(`drop database ${name} with (force)`);
    await admin.end();
  });

  function started(...args: string[]): ChildProcess {
    const child = spawn(process.execPath, [MAIN, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    children.add(child);
    return child;
  }

  async function killed(child: ChildProcess): Promise<void> {
    children.delete(child);
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  /** Resolves with the first sight of an inspector's that is as wanted. */
  function sight(inspector: ChildProcess, wanted: (seen: Sight) => boolean): Promise<Sight> {
    return new Promise((resolve, reject) => {
      let out = '';
      const late = setTimeout(() => reject(new Error(`not seen within 90 s:\n${out}`)), 90_000);
      inspector.stdout!.on('data', (part: Buffer) => {
        out += part.toString();
        for (const [, sent, done, , dead, toDo] of out.matchAll(SEEN)) {
          const seen = { sent: Number(sent), done: Number(done), dead: Number(dead), toDo: Number(toDo) };
          if (!wanted(seen)) continue;
          clearTimeout(late);
          resolve(seen);
          return;
        }
      });
    });
  }

  it('loses nothing when sender, processor and inspector are killed, one after the other', async () => {
    let inspector = started('inspector');
    let processor = started('processor');
    const sender = started('sender');
    await sight(inspector, ({ done }) => done >= 5);
    await killed(processor);
    processor = started('processor');
    await sight(inspector, ({ sent }) => sent >= 20);
    await killed(sender);
    await killed(inspector);
    // Fifty more, one of them hopeless; this sender ends by itself.
    const second = started('sender', '50');
    inspector = started('inspector');
    const [exit] = await Promise.all([
      once(second, 'exit'),
      sight(inspector, ({ sent, done, dead, toDo }) => sent >= 70 && toDo === 0 && dead >= 1 && done + dead === sent),
    ]);
    expect(exit).toEqual([0, null]);
    processor.kill('SIGTERM');
    expect(await once(processor, 'exit')).toEqual([0, null]);
  }, 180_000);
});
