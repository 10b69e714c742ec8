import { createLogger, type RunningService } from '@eticket/service';
import { Ackline, readJson, type TailConsumer } from 'ackline';
import { MemoryStore } from 'ackline/memory';
import { readChatServerConfig } from '../chat-server-config.js';
import { startChatServer } from '../start-chat-server.js';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown> & { readonly data?: Record<string, unknown> };
}

/** A room in memory, its server on a free port, and a reader of its topic. */
export class TestRoom {
  readonly topic: Record<string, unknown>[] = [];
  readonly logLines: string[] = [];
  #server!: RunningService;
  #reader!: TailConsumer;

  private constructor(
    readonly store: MemoryStore,
    private readonly env: NodeJS.ProcessEnv,
  ) {}

  static async open(env: NodeJS.ProcessEnv = {}): Promise<TestRoom> {
    const room = new TestRoom(new MemoryStore(), env);
    const reader = new Ackline({ driver: room.store.driver() });
    room.#reader = reader.tail(
      { queue: 'chat-room' },
      (message) => void room.topic.push(readJson(message) as Record<string, unknown>),
    );
    await room.#reader.ready;
    await room.startServer();
    return room;
  }

  async startServer(): Promise<void> {
    const config = readChatServerConfig({ PORT: '0', ...this.env });
    const destination = { write: (line: string) => void this.logLines.push(line) };
    const logger = createLogger({ service: 'chat-server', level: 'info', destination });
    this.#server = await startChatServer(config, { logger, driver: this.store.driver() });
  }

  stopServer(): Promise<void> {
    return this.#server.stop();
  }

  async call(path: string, body?: unknown, token?: string, headers: Record<string, string> = {}): Promise<Answer> {
    const response = await fetch(`${this.#server.url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        ...(body !== '' && { 'content-type': 'application/json' }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body !== undefined && body !== '' && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? {} : (JSON.parse(text) as Answer['body']),
    };
  }

  /** Resolves with the token. */
  async join(username: string): Promise<string> {
    const { body } = await this.call('/join', { username });
    return String(body.data?.token);
  }

  async users(token: string): Promise<readonly string[]> {
    const { body } = await this.call('/who', undefined, token);
    return (body.data?.users as readonly { readonly username: string }[]).map(({ username }) => username);
  }

  async close(): Promise<void> {
    await this.#server.stop();
    await this.#reader.close();
  }
}
