import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { openRoomQueue, readRoomPlace } from '@eticket/chat-room';
import { eventually, testDatabase } from '@eticket/service/testing';
import { Ackline, type OutgoingMessage } from 'ackline';
import { Terminals, type Terminal } from './terminals.js';

/** As `npm test` built them. */
const SERVER = fileURLToPath(new URL('../../apps/chat-server/dist/main.js', import.meta.url));
const CLIENT = fileURLToPath(new URL('../../apps/chat-client/dist/main.js', import.meta.url));

type Environment = Readonly<Record<string, string>>;

/** Somewhere for a room's topic to be. */
export interface Place {
  readonly env: Environment;
  drop(): Promise<void>;
}

export async function inPostgres(): Promise<Place> {
  const database = await testDatabase();
  return { env: { DATABASE_URL: database.connectionString }, drop: () => database.drop() };
}

/** Each place has a topic of its own. */
export function inKafka(brokers: string): () => Promise<Place> {
  return () => {
    const topic = `chat-${randomBytes(6).toString('hex')}`;
    return Promise.resolve({ env: { KAFKA_BROKERS: brokers, KAFKA_TOPIC: topic }, drop: () => Promise.resolve() });
  };
}

/** A room with a server and any number of clients, each a process of its own, the clients in terminals. */
export class ChatLab {
  readonly #terminals = new Terminals();
  readonly #env: Environment;
  readonly #others: ChildProcess[] = [];
  #server: ChildProcess | undefined;
  serverLog = '';

  private constructor(
    readonly place: Place,
    port: number,
    settings: Environment,
  ) {
    const { TEST_DATABASE_URL: _, ...inherited } = process.env as Record<string, string>;
    this.#env = {
      PATH: inherited.PATH ?? '',
      HOME: inherited.HOME ?? '/',
      LANG: 'C.UTF-8',
      PORT: String(port),
      CHAT_SERVER_URL: `http://127.0.0.1:${port}`,
      CHAT_GONE_AFTER_MS: '6000',
      LOG_LEVEL: 'warn',
      ...place.env,
      ...settings,
    };
  }

  static async open(place: Place, settings: Environment = {}): Promise<ChatLab> {
    const lab = new ChatLab(place, await freePort(), settings);
    await lab.startServer();
    return lab;
  }

  get url(): string {
    return this.#env.CHAT_SERVER_URL ?? '';
  }

  async startServer(): Promise<void> {
    const server = spawn(process.execPath, [SERVER], { env: this.#env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#server = server;
    for (const stream of [server.stdout, server.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (this.serverLog += text));
    }
    await eventually(
      async () => {
        if (server.exitCode !== null) throw new Error(`the server ended: ${this.serverLog}`);
        return (await fetch(`${this.url}/health/ready`)).ok;
      },
      { deadlineMs: 40_000, everyMs: 100 },
    );
  }

  async killServer(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const server = this.#server;
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill(signal);
    await ended;
  }

  /** A client in a terminal, not joined yet. */
  client(...args: readonly string[]): Promise<Terminal> {
    return this.#terminals.open([process.execPath, CLIENT, ...args], { ...this.#env, TERM: 'xterm-256color' });
  }

  /** A client in a terminal, in the room. */
  async join(name: string, ...args: readonly string[]): Promise<Terminal> {
    const client = await this.client('--name', name, ...args);
    await client.shows(new RegExp(` \\* ${name} joined$`), 30_000);
    return client;
  }

  /** A client in a pipe. Resolves when it has ended. */
  async pipe(
    input: string,
    ...args: readonly string[]
  ): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }> {
    const child = spawn(process.execPath, [CLIENT, ...args], { env: this.#env });
    this.#others.push(child);
    let out = '';
    let err = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
    child.stdin.end(input);
    await once(child, 'close');
    return { code: child.exitCode, out, err };
  }

  /** Puts anything on the room's topic, past the server. */
  async inject(...messages: readonly OutgoingMessage[]): Promise<void> {
    const place = readRoomPlace(this.#env);
    const queue = await openRoomQueue(place, { clientId: 'test', maxConnections: 2 });
    const ackline = new Ackline({ driver: queue.driver });
    await ackline.publish(place.topic, messages);
    await ackline.close();
    await queue.release();
  }

  async close(): Promise<void> {
    await this.#terminals.close();
    for (const other of this.#others) other.kill('SIGKILL');
    await this.killServer('SIGTERM');
    await this.place.drop();
  }
}

/** What was said, in the order of the screen: `name: text`. */
export async function saidOn(terminal: Terminal): Promise<readonly string[]> {
  const lines = await terminal.lines();
  return lines.flatMap((line) => /^(?:\S+ )?\d\d:\d\d:\d\d ([^\s*]\S*: .*)$/.exec(line)?.[1] ?? []);
}

/** Of a screen, what one user said. */
export function by(name: string, said: readonly string[]): readonly string[] {
  return said.flatMap((line) => (line.startsWith(`${name}: `) ? line.slice(name.length + 2) : []));
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
