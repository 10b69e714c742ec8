import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '@eticket/service/testing';
import { RoomServer } from '../server/room-server.js';
import { ServerLink } from './server-link.js';
import { Stay } from './stay.js';

type Answer = { readonly status: number; readonly body?: unknown } | 'drop';

/** A server that answers what it is told to, in order; the last answer stays. */
class ScriptedServer {
  readonly calls: string[] = [];
  readonly #answers = new Map<string, Answer[]>();
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const path = request.url ?? '';
      this.calls.push(path);
      const script = this.#answers.get(path) ?? [];
      const answer = script.length > 1 ? script.shift() : script[0];
      if (answer === undefined || answer === 'drop') return void request.socket.destroy();
      request.resume();
      response.writeHead(answer.status, { 'content-type': 'application/json' });
      response.end(answer.body === undefined ? undefined : JSON.stringify(answer.body));
    });
  }

  static async start(): Promise<ScriptedServer> {
    const scripted = new ScriptedServer();
    await new Promise<void>((resolve) => scripted.#server.listen(0, '127.0.0.1', resolve));
    return scripted;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  on(path: string, ...answers: readonly Answer[]): void {
    this.#answers.set(path, [...answers]);
  }

  count(path: string): number {
    return this.calls.filter((call) => call === path).length;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

const membership = (token: string) => ({ status: 201, body: { data: { username: 'ana', token, heartbeatMs: 50 } } });
const problem = (status: number, code: string, retryAfterMs?: number) => ({
  status,
  body: { code, detail: code, retryAfterMs },
});

describe('a stay in the room', () => {
  let scripted: ScriptedServer;
  let over: AbortController;
  const notices: string[] = [];
  beforeEach(async () => {
    scripted = await ScriptedServer.start();
    over = new AbortController();
    notices.length = 0;
    scripted.on('/heartbeat', { status: 204 });
  });
  afterEach(async () => {
    over.abort();
    await stay?.leave(AbortSignal.abort());
    scripted.close();
  });

  let stay: Stay | undefined;
  const open = (): Stay => {
    const link = new ServerLink({
      onServerAway: () => void notices.push('away'),
      onServerBack: () => void notices.push('back'),
    });
    const listener = { onLost: () => void notices.push('lost') };
    return (stay = new Stay(new RoomServer(scripted.url), link, listener, over.signal));
  };

  it('is asked for until the server answers; its absence is told once', async () => {
    scripted.on('/join', 'drop', 'drop', problem(503, 'room_unavailable', 10), membership('t'));
    await open().join('ana');
    expect(notices).toEqual(['away', 'back']);
  });

  it('takes a name that is taken for its own when a join broke off, and waits for it', async () => {
    scripted.on('/join', 'drop', problem(409, 'username_taken'), membership('t'));
    await open().join('ana');
    expect(scripted.count('/join')).toBe(3);
  });

  it('is refused a name that is somebody else’s', async () => {
    scripted.on('/join', problem(409, 'username_taken'));
    await expect(open().join('ana')).rejects.toMatchObject({ code: 'username_taken' });
    expect(scripted.count('/join')).toBe(1);
  });

  it('sends heartbeats, and joins again when the server does not know it any more', async () => {
    scripted.on('/join', membership('t1'), membership('t2'));
    scripted.on('/heartbeat', { status: 204 }, problem(401, 'token_unknown'), { status: 204 });
    await open().join('ana');
    await eventually(() => scripted.count('/heartbeat') > 3);
    expect(scripted.count('/join')).toBe(2);
    expect(notices).toEqual(['lost']);
  });

  it('asks again after joining again, and after waiting as the server said', async () => {
    scripted.on('/join', membership('t1'), membership('t2'));
    scripted.on('/who', problem(401, 'token_unknown'), problem(429, 'too_many_requests', 20), {
      status: 200,
      body: { data: { users: [] } },
    });
    const here = open();
    await here.join('ana');
    const server = new RoomServer(scripted.url);
    const tokens: string[] = [];
    await here.ask((mine) => {
      tokens.push(mine.token);
      return server.who(mine);
    });
    expect(tokens).toEqual(['t1', 't2', 't2']);
  });

  it('is left also when the server has it so already, and says when the server does not answer', async () => {
    scripted.on('/join', membership('t'));
    scripted.on('/leave', problem(401, 'token_unknown'));
    const here = open();
    await here.join('ana');
    expect(await here.leave(AbortSignal.timeout(1_000))).toBe(true);
    scripted.on('/leave', 'drop');
    expect(await here.leave(AbortSignal.timeout(300))).toBe(false);
  });
});
