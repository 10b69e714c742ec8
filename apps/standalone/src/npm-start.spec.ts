import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '@eticket/service/testing';
import { runDemo } from './demo/run-demo.js';
import { BookingClient } from './demo/booking-client.js';
import { InboxClient } from './demo/inbox-client.js';
import { sampleBookings, type SampleBooking } from './sample-bookings.js';

/** As `npm test` built it. */
const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));

/** A start as its own process, in a group of its own as a terminal makes it. */
class Start {
  output = '';
  private readonly child: ChildProcess;
  private readonly exit: Promise<unknown[]>;

  constructor(dataDir: string, args: readonly string[], env: NodeJS.ProcessEnv) {
    const ports = { PORT: '0', WORKER_PORT: '0', INBOX_PORT: '0', SMTP_PORT: '0', PAYMENT_PORT: '0' };
    const { TEST_DATABASE_URL: _, ...inherited } = process.env;
    this.child = spawn(process.execPath, [MAIN, ...args], {
      env: { ...inherited, ...ports, DATA_DIR: dataDir, ...env },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.exit = once(this.child, 'exit');
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    }
  }

  async up(): Promise<this> {
    await eventually(() => this.output.includes('the data is kept') || this.child.exitCode !== null, {
      deadlineMs: 40_000,
    });
    if (this.child.exitCode !== null) throw new Error(this.output);
    return this;
  }

  get bookingUrl(): string {
    return /Booking +(http\S+)/.exec(this.output)?.[1] ?? '';
  }

  get inboxUrl(): string {
    return /Inbox +(http\S+)/.exec(this.output)?.[1] ?? '';
  }

  get workerPids(): readonly number[] {
    return (/processes \(([\d, ]+)\)/.exec(this.output)?.[1] ?? '').split(', ').map(Number);
  }

  /** Ctrl+C: the whole group gets it. Resolves with the exit code. */
  async interrupt(): Promise<unknown> {
    process.kill(-(this.child.pid as number), 'SIGINT');
    return this.ended();
  }

  async ended(): Promise<unknown> {
    const [code, signal] = await this.exit;
    return code ?? signal;
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }
}

describe('npm start', () => {
  let dataDir: string;
  const starts: Start[] = [];
  let samples: readonly SampleBooking[];

  beforeEach(async () => {
    samples = await sampleBookings();
    dataDir = await mkdtemp(join(tmpdir(), 'eticket-start-'));
    // Under root PostgreSQL is another user's, who must get through.
    await chmod(dataDir, 0o755);
  });
  afterEach(async () => {
    for (const one of starts.splice(0)) one.kill();
    if (await readFile(join(dataDir, 'connection.json')).catch(() => undefined)) {
      // Adopts the database that a killed start left behind, and stops it.
      await (await start().up()).interrupt();
      starts.length = 0;
    }
    await rm(dataDir, { recursive: true, force: true });
  });

  function start(args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Start {
    const one = new Start(dataDir, args, env);
    starts.push(one);
    return one;
  }

  it('books every sample and mails each ticket once, with the booking’s facts; Ctrl+C ends it cleanly', async () => {
    const pipeline = await start().up();
    const outcomes = await runDemo({ ...urls(pipeline), samples, print: () => undefined });
    expect(outcomes.flatMap(({ sample, problems }) => problems.map((problem) => `${sample.name}: ${problem}`))).toEqual(
      [],
    );
    expect(outcomes.filter(({ facts }) => facts)).toHaveLength(samples.length - 1);
    expect(await pipeline.interrupt()).toBe(0);
    expect(pipeline.output).toContain('Stopped. The data is kept');
    expect(pipeline.output).not.toMatch(/WARN|ERROR|\n {4}at /);
  });

  it('finds bookings and mails again, after Ctrl+C and after kill -9', async () => {
    const [sample] = samples as [SampleBooking];
    const first = await start().up();
    const { trip } = await new BookingClient(first.bookingUrl).book(sample);
    const mails = async (of: Start) =>
      (await new InboxClient(of.inboxUrl).mailsTo(sample.contact.email, trip?.reference ?? '')).length;
    await eventually(async () => (await mails(first)) === 1);
    expect(await first.interrupt()).toBe(0);

    const second = await start().up();
    expect(await mails(second)).toBe(1);
    const found = await fetch(`${second.bookingUrl}/api/bookings/${trip?.id}`, {
      headers: { authorization: `Bearer ${trip?.accessToken}` },
    });
    expect(await found.json()).toMatchObject({ data: { reference: trip?.reference, mail: { status: 'sent' } } });
    second.kill();

    const third = await start().up();
    expect(third.output).toContain('left over by a start that was killed');
    expect(await mails(third)).toBe(1);
    expect((await new BookingClient(third.bookingUrl).book(sample)).status).toBe(201);
    expect(await third.interrupt()).toBe(0);
  });

  it('refuses a folder in use and ports that are taken, each in one sentence', async () => {
    const first = await start().up();
    const second = start();
    expect(await second.ended()).toBe(1);
    expect(second.output).toMatch(
      /^\s+Starting .*\s+The data folder \S+ is in use by another start \(process \d+\): stop that one first, or choose another folder with DATA_DIR\.\s+$/,
    );
    expect(await first.interrupt()).toBe(0);

    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const third = start(['--port', String(port)]);
    expect(await third.ended()).toBe(1);
    expect(third.output).toContain(
      `Port ${port} (for the booking service) is taken by another program: stop that program, or choose a free port with --port.`,
    );
    expect(third.output).not.toMatch(/\n {4}at |ERROR/);
    other.close();
  });

  it.each([
    [['--nope'], {}, 'There is no option --nope'],
    [[], { MAIL_CONCURRENCY: 'many', INBOX_PORT: '-1' }, /INBOX_PORT is "-1"; .*\n.*MAIL_CONCURRENCY is "many"; /],
    [
      [],
      { DATABASE_URL: 'postgres://u:secret@127.0.0.1:1/x' },
      /127\.0\.0\.1:1\/x of DATABASE_URL cannot be used \(ECONNREFUSED\)/,
    ],
    [[], { DATA_DIR: '/dev/null/x' }, 'is a file, or below one: choose another folder with DATA_DIR.'],
  ])('ends with a message alone for %j %j', async (args, env, message) => {
    const failing = start(args, env);
    expect(await failing.ended()).toBe(1);
    expect(failing.output).toMatch(message);
    expect(failing.output).not.toMatch(/\n {4}at |ERROR|secret/);
  });

  it('runs workers as processes, replaces those that are killed, and stops them in order at Ctrl+C', async () => {
    const pipeline = await start(['--workers', '2']).up();
    const { workerPids } = pipeline;
    expect(workerPids).toHaveLength(2);
    process.kill(workerPids[0] as number, 'SIGKILL');
    await eventually(() => pipeline.output.includes('mail worker 1 ended (SIGKILL); it is started again'));
    process.kill(workerPids[1] as number, 'SIGKILL');
    const [sample] = samples as [SampleBooking];
    const [outcome] = await runDemo({ ...urls(pipeline), samples: [sample], print: () => undefined });
    expect(outcome?.problems).toEqual([]);
    expect(await pipeline.interrupt()).toBe(0);
    const log = await readFile(join(dataDir, 'logs', 'eticket.log'), 'utf8');
    const stops = log.split('\n').filter((line) => line.includes('mail-eticket is stopping'));
    // Not SIGINT: the terminal's Ctrl+C is not theirs.
    expect(stops.map((line) => (JSON.parse(line) as { readonly why: string }).why)).toEqual(['SIGTERM', 'SIGTERM']);
  });
});

function urls(of: Start) {
  return { bookingUrl: of.bookingUrl, inboxUrl: of.inboxUrl };
}
