import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { PassThrough, Readable } from 'node:stream';
import pg from 'pg';
import { Ackline, RejectError, jsonMessage } from 'ackline';
import { kafkaDriver } from 'ackline/kafka';
import { Outbox } from 'ackline/outbox';
import { postgresDriver } from 'ackline/postgres';
import { canHaveKafka, testKafka } from '../drivers/kafka/testing/test-kafka.js';
import type { TestKafka } from '../drivers/kafka/testing/test-kafka.js';
import { runCli } from './program.js';

/** Runs the built library: `npm run build` first. */
const BIN = fileURLToPath(new URL('../../bin/ackline.mjs', import.meta.url));

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** The rows of `--json`. */
  readonly rows: readonly Record<string, unknown>[];
}

async function ran(
  env: NodeJS.ProcessEnv,
  args: readonly string[],
  { stdin = '', signal = new AbortController().signal, onOut = (_: string): void => undefined } = {},
): Promise<Ran> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  let [out, err] = ['', ''];
  stdout.on('data', (part: Buffer) => {
    out += part.toString();
    onOut(out);
  });
  stderr.on('data', (part: Buffer) => (err += part.toString()));
  const code = await runCli(args, { env, stdin: Readable.from([Buffer.from(stdin)]), stdout, stderr, signal });
  await new Promise((resolve) => setImmediate(resolve));
  const rows = args.includes('--json')
    ? out
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Record<string, unknown>)
    : [];
  return { code, out, err, rows };
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 45_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('the condition did not become true within 45 s');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** A database of its own. */
async function database(): Promise<{ readonly url: string; drop(): Promise<void> }> {
  const name = `cli_${process.pid}_${Math.random().toString(36).slice(2, 8)}`;
  const admin = new pg.Client({ connectionString: process.env.TEST_DATABASE_URL });
  await admin.connect();
  await admin.query(`create database ${name}`);
  const url = new URL(process.env.TEST_DATABASE_URL!);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: async () => {
      await admin.query(`drop database ${name} with (force)`);
      await admin.end();
    },
  };
}

const stores = ['PostgreSQL', ...((await canHaveKafka()) ? ['Kafka'] : [])];

describe.each(stores)('ackline, the command, on %s', (store) => {
  const queue = `orders-${process.pid}-${Math.random().toString(36).slice(2, 8)}`;
  const group = 'invoices';
  let env: NodeJS.ProcessEnv;
  let kafka: TestKafka | undefined;
  let place: Awaited<ReturnType<typeof database>> | undefined;
  let ackline: Ackline;
  let handled: string[];
  let mended = false;

  const cli = (...args: string[]): Promise<Ran> => ran(env, args);
  const settled = async (): Promise<boolean> => {
    const { ready, waiting, inFlight } = await ackline.stats(queue, group);
    return ready + waiting + inFlight === 0;
  };
  const dead = async (): Promise<number> => (await ackline.stats(queue, group)).deadLetters;

  beforeAll(async () => {
    if (store === 'Kafka') {
      kafka = await testKafka();
      env = { KAFKA_BROKERS: kafka.brokers.join(',') };
      ackline = new Ackline({ driver: kafkaDriver({ brokers: kafka.brokers, partitions: 2 }) });
    } else {
      place = await database();
      env = { DATABASE_URL: place.url };
      ackline = new Ackline({ driver: postgresDriver({ connectionString: place.url }) });
    }
    handled = [];
    ackline.consume({ queue, group, maxDeliveries: 1, concurrency: 20 }, ({ message }) => {
      const kind = message.headers['kind'];
      if (!mended && kind !== 'good') throw new RejectError(kind ?? 'no_kind');
      handled.push(message.id);
    });
    const messages = ['good', 'smtp_550', 'smtp_550', 'invalid_payload'].flatMap((kind, row) =>
      Array.from({ length: 10 }, (_, n) =>
        jsonMessage(
          { name: 'Ana Pérez' },
          { id: `${kind}-${row}-${n}`, key: `k${n}`, headers: { kind, authorization: 'Bearer s3cret' } },
        ),
      ),
    );
    await ackline.publish(queue, messages);
    await until(async () => (await dead()) === 30 && (await settled()));
  }, 120_000);

  afterAll(async () => {
    await ackline.close();
    await kafka?.stop();
    await place?.drop();
  });

  it('lists queues with their groups, and where each group is', async () => {
    const { rows } = await cli('ls', '--json');
    expect(rows).toContainEqual({ queue, groups: [group] });
    const lag = await cli('lag', queue, '--json');
    expect(lag.rows).toEqual([
      { queue, group, notSettled: 0, ready: 0, waiting: 0, inFlight: 0, deadLetters: 30, oldestAgeMs: null },
    ]);
    const { out } = await cli('lag', queue, group);
    expect(out).toMatch(/queue +group +not settled +ready +waiting +in flight +dead letters +oldest/);
  });

  it('counts dead letters by error and lists them, bodies only when asked for, credentials never', async () => {
    const counts = await cli('dead-letters', queue, '--json');
    expect(counts.rows).toEqual([
      { queue, group, errorCode: 'smtp_550', count: 20 },
      { queue, group, errorCode: 'invalid_payload', count: 10 },
    ]);
    const byKey = await cli('dead-letters', queue, group, '--key', 'k3', '--error', 'smtp_550', '--list', '--json');
    expect(byKey.rows).toHaveLength(2);
    expect(byKey.rows[0]).toMatchObject({ key: 'k3', errorCode: 'smtp_550', reason: 'rejected', deliveryCount: 1 });
    const plain = await cli('dead-letters', queue, group, '--list', '--limit', '3');
    expect(plain.out.trim().split('\n')).toHaveLength(3);
    expect(plain.err).toContain('3 of 30');
    expect(plain.out).toContain('authorization=***');
    expect(plain.out).not.toMatch(/Ana|s3cret/);
    const withBody = await cli('dead-letters', queue, group, '--list', '--limit', '1', '--body');
    expect(withBody.out).toContain('{"name":"Ana Pérez"}');
    expect(withBody.out).not.toContain('s3cret');
  });

  it('peeks at the newest messages and leaves no trace', async () => {
    const { rows } = await cli('peek', queue, '--last', '4', '--json');
    expect(rows).toHaveLength(4);
    expect(rows[0]).toMatchObject({ bytes: 21, headers: { authorization: '***' } });
    expect(rows[0]).not.toHaveProperty('body');
    expect((await cli('ls', '--json')).rows).toContainEqual({ queue, groups: [group] });
  });

  it('publishes a message, or one a line, and makes a queue only when told to', async () => {
    const fresh = `${queue}-fresh`;
    const absent = await cli('publish', fresh, '--body', '{}');
    expect([absent.code, absent.err]).toEqual([3, expect.stringContaining(`There is no queue "${fresh}"`)]);
    const one = await cli(
      'publish',
      fresh,
      '--create',
      '--body',
      'hello',
      '--id',
      'one',
      '--key',
      'k',
      '--header',
      'a=b=c',
    );
    expect([one.code, one.out]).toEqual([0, 'one\n']);
    const many = await ran(env, ['publish', fresh, '--lines', '--json'], { stdin: 'x\n\ny\nz' });
    expect(many.rows).toEqual([{ queue: fresh, published: 3 }]);
    const { rows } = await cli('peek', fresh, '--body', '--json');
    expect(rows).toContainEqual(
      expect.objectContaining({ id: 'one', key: 'k', headers: { a: 'b=c' }, body: 'hello', bytes: 5 }),
    );
    expect(rows.map(({ body }) => body).sort()).toEqual(['hello', 'x', 'y', 'z']);
  });

  it('tails until Ctrl+C', async () => {
    const tailed = `${queue}-tailed`;
    await cli('publish', tailed, '--create', '--body', 'before', '--id', 'before');
    const ctrlC = new AbortController();
    let shown = '';
    const tail = ran(env, ['tail', tailed, '--from', '1', '--body'], {
      signal: ctrlC.signal,
      onOut: (out) => {
        shown = out;
        if (out.includes('after')) ctrlC.abort();
      },
    });
    await until(() => Promise.resolve(shown.includes('before')));
    await cli('publish', tailed, '--body', 'after');
    const { code, out } = await tail;
    expect(code).toBe(0);
    expect(out).toMatch(/before[\s\S]*after/);
  });

  it('acts on dead letters only when told which, rehearses, and keeps an audit', async () => {
    const none = await cli('redrive', queue, group);
    expect([none.code, none.err]).toEqual([2, expect.stringContaining('Say which: --id')]);
    const careless = await cli('discard', queue, group, '--all');
    expect([careless.code, careless.err]).toEqual([2, expect.stringContaining('--yes')]);
    const rehearsed = await cli('redrive', queue, group, '--all', '--dry-run', '--json');
    expect(rehearsed.rows).toMatchObject([{ dryRun: true, matching: 30 }]);
    expect(await dead()).toBe(30);
    const strange = await cli('discard', queue, group, '--id', 'nobody');
    expect([strange.code, strange.err]).toEqual([3, expect.stringContaining('None of these is a dead letter')]);

    expect((await cli('discard', queue, group, '--error', 'invalid_payload', '--yes', '--actor', 'ana')).code).toBe(0);
    mended = true;
    const one = await cli('redrive', queue, group, '--id', 'smtp_550-1-0', '--actor', 'ana', '--json');
    expect(one.rows).toEqual([{ queue, group, action: 'redrive', dryRun: false, matching: 1, done: 1 }]);
    expect((await cli('redrive', queue, group, '--newer-than', '1d', '--rate', '200/s', '--actor', 'bo')).code).toBe(0);
    await until(async () => (await dead()) === 0 && (await settled()));
    expect(handled.filter((id) => id.startsWith('smtp_550'))).toHaveLength(20);
    const { rows } = await cli('dead-letters', queue, group, '--audit', '--json');
    expect(rows.map(({ actor, action, count }) => `${String(actor)} ${String(action)} ${String(count)}`)).toEqual([
      'bo redrive 19',
      'ana redrive 1',
      'ana discard 10',
    ]);
  });

  it('loses nothing and does nothing twice when a redrive is killed, or ended by Ctrl+C, and run again', async () => {
    mended = false;
    const ids = Array.from({ length: 120 }, (_, n) => `bulk-${n}`);
    await ackline.publish(
      queue,
      ids.map((id) => jsonMessage(1, { id })),
    );
    await until(async () => (await dead()) === 120);
    mended = true;
    handled = [];
    // At 10 a second it is under way for twelve seconds: each is ended after its first letters.
    const started = async (): Promise<ChildProcess> => {
      const before = await dead();
      const args = [BIN, 'redrive', queue, group, '--all', '--rate', '10/s', '--actor', 'ops', '--json'];
      const child = spawn(process.execPath, args, {
        env: { ...process.env, ...env },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await until(async () => (await dead()) < before);
      return child;
    };
    const killed = await started();
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    expect(await dead()).toBeGreaterThan(0);
    const ended = await started();
    ended.kill('SIGINT');
    const [[code], [said]] = (await Promise.all([once(ended, 'exit'), once(ended.stdout!, 'data')])) as [
      [number],
      [Buffer],
    ];
    expect(code).toBe(130);
    const { matching, done } = JSON.parse(said.toString()) as { readonly matching: number; readonly done: number };
    expect(done).toBeLessThan(matching);
    expect(await dead()).toBe(matching - done);
    const rest = await cli('redrive', queue, group, '--all', '--actor', 'ops', '--json');
    expect(rest.rows).toMatchObject([{ done: matching - done }]);
    await until(async () => (await dead()) === 0 && (await settled()));
    expect(handled.sort()).toEqual(ids.sort());
    const audits = (await ackline.deadLetters(queue, group).audit(1_000)).filter(({ actor }) => actor === 'ops');
    expect(audits.map(({ messageId }) => messageId).sort()).toEqual(ids.sort());
  });

  // On PostgreSQL an event is in its queue with the commit, and there is nothing to relay.
  if (store === 'Kafka')
    it('relays what transactions left in the outbox: once, or until Ctrl+C', async () => {
      const relayed = `${queue}-relayed`;
      const outboxPlace = await database();
      const both = { ...env, DATABASE_URL: outboxPlace.url };
      const pool = new pg.Pool({ connectionString: outboxPlace.url, max: 2 });
      // A connection that says goodbye when the database is dropped.
      pool.on('error', () => undefined);
      try {
        expect((await ran(both, ['migrate', '--json'])).rows).toEqual([{ migrated: ['outbox'] }]);
        const outbox = new Outbox({ driver: kafkaDriver({ brokers: kafka!.brokers }), pool });
        const enqueue = async (...ids: string[]): Promise<void> => {
          const client = await pool.connect();
          await client.query('begin');
          await outbox.enqueue(
            client,
            relayed,
            ids.map((id) => jsonMessage(1, { id, key: 'k' })),
          );
          await client.query('commit');
          client.release();
        };
        const waiting = async (): Promise<unknown> =>
          (await ran(both, ['relay', '--status', '--json'])).rows[0]!['waiting'];
        await enqueue('a', 'b', 'c');
        expect(await waiting()).toBe(3);
        expect((await ran(both, ['relay', '--once', '--batch', '2', '--json'])).rows).toEqual([{ published: 3 }]);
        expect(await waiting()).toBe(0);
        const ctrlC = new AbortController();
        const relay = ran(both, ['relay'], { signal: ctrlC.signal });
        await enqueue('d');
        await until(async () => (await waiting()) === 0);
        ctrlC.abort();
        expect((await relay).code).toBe(0);
        const { rows } = await cli('peek', relayed, '--json');
        expect(rows.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd']);
      } finally {
        await pool.end();
        await outboxPlace.drop();
      }
    });

  it('says what is not there, and what is', async () => {
    const { code, err } = await cli('lag', queue, 'invoicse');
    expect([code, err]).toEqual([3, 'ackline: There is no group "invoicse"; there are: invoices.\n']);
  });
});

describe('ackline, the command', () => {
  it('names the setting that is missing or wrong in one sentence, and repeats no password', async () => {
    const cases: readonly (readonly [NodeJS.ProcessEnv, string, number, RegExp])[] = [
      [{}, 'ls', 2, /^ackline: Neither KAFKA_BROKERS nor DATABASE_URL is set: .+\n$/],
      [{ KAFKA_BROKERS: 'broker' }, 'ls', 2, /^ackline: KAFKA_BROKERS is "broker"; it must be .+\n$/],
      [
        { KAFKA_BROKERS: 'b:1', KAFKA_SSL: 'yes' },
        'ls',
        2,
        /^ackline: KAFKA_SSL is "yes"; it must be true or false\.\n$/,
      ],
      ...['package.json', 'no-such-file.pem'].map(
        (file) =>
          [
            { KAFKA_BROKERS: 'b:1', KAFKA_SSL: 'true', KAFKA_SSL_CA_FILE: file },
            'ls',
            2,
            /^ackline: KAFKA_SSL_CA_FILE is ".+"; it must be a file of PEM certificates .+\n$/,
          ] as const,
      ),
      [
        { KAFKA_BROKERS: 'b:1', KAFKA_SASL_USERNAME: 'u' },
        'ls',
        2,
        /^ackline: KAFKA_SASL_MECHANISM, .+ belong together.+\n$/,
      ],
      [{ DATABASE_URL: 'mysql://u:hunter2@h/d' }, 'ls', 2, /^ackline: DATABASE_URL is not valid; it must be .+\n$/],
      [
        { DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1/d' },
        'ls',
        1,
        /^ackline: DATABASE_URL postgres:\/\/127.0.0.1:1\/d: .+\n$/,
      ],
      [{ DATABASE_URL: 'postgres://u:hunter2@h/d' }, 'relay', 2, /^ackline: KAFKA_BROKERS is not set: .+\n$/],
      [{ KAFKA_BROKERS: 'b:1' }, 'relay', 2, /^ackline: DATABASE_URL is not set: .+\n$/],
    ];
    for (const [env, command, code, says] of cases) {
      const got = await ran(env, [command]);
      expect([got.code, got.err]).toEqual([code, expect.stringMatching(says)]);
      expect(got.err).not.toContain('hunter2');
    }
  });

  it('refuses a wrong option, and helps with every command, settings and exit codes included', async () => {
    const wrong = await ran({}, ['redrive', 'q', 'g', '--all', '--rate', 'fast']);
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('Write a rate as 50/s')]);
    const { out, code } = await ran({}, ['--help']);
    expect(code).toBe(0);
    const commands = [...out.matchAll(/^ {2}([a-z][a-z-]+) (?:\[|<| )/gm)].map(([, name]) => name!);
    expect(commands).toEqual(
      expect.arrayContaining([
        'ls',
        'lag',
        'peek',
        'tail',
        'publish',
        'dead-letters',
        'redrive',
        'discard',
        'relay',
        'migrate',
      ]),
    );
    for (const command of commands.filter((name) => name !== 'help')) {
      const help = await ran({}, [command, '--help']);
      expect([command, help.code, help.out]).toEqual([
        command,
        0,
        expect.stringMatching(/DATABASE_URL[\s\S]*Exit codes/),
      ]);
    }
  });

  it('migrates a database, once or again, and prints SQL that makes the same tables', async () => {
    const [migrated, printed] = [await database(), await database()];
    try {
      for (let time = 0; time < 2; time++) {
        const { rows } = await ran({ DATABASE_URL: migrated.url }, ['migrate', '--json']);
        expect(rows).toEqual([{ migrated: ['queue', 'outbox'] }]);
      }
      const { out } = await ran({}, ['migrate', '--print']);
      const client = new pg.Client({ connectionString: printed.url });
      await client.connect();
      await client.query(out);
      await client.end();
      expect(await tablesOf(printed.url)).toEqual(await tablesOf(migrated.url));
      // The library finds nothing left to do, and works.
      const ackline = new Ackline({ driver: postgresDriver({ connectionString: printed.url }) });
      await ackline.publish('orders', jsonMessage(1, { id: 'one' }));
      expect((await ackline.peek('orders', { last: 5 })).map(({ id }) => id)).toEqual(['one']);
      await ackline.close();
    } finally {
      await migrated.drop();
      await printed.drop();
    }
  });
});

async function tablesOf(url: string): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<Record<string, unknown>>(
    `select table_name, column_name, data_type from information_schema.columns where table_schema = 'ackline'
     union all select 'version', 'queue', max(version)::text from ackline.migration
     union all select 'version', 'outbox', max(version)::text from ackline.outbox_migration
     order by 1, 2`,
  );
  await client.end();
  return rows;
}
