import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';

/** A point at which a relay can do as it likes. `message` is after the final dot. */
export type RelayStage =
  'connect' | 'EHLO' | 'STARTTLS' | 'AUTH' | 'MAIL' | 'RCPT' | 'DATA' | 'message' | 'RSET' | 'QUIT';

export interface RelayStep {
  readonly stage: RelayStage;
  /** 1 for the first connection. */
  readonly connection: number;
  /** How often this stage was reached before and now, over all connections: 1 for the first time. */
  readonly time: number;
  readonly line: string;
}

/** A reply, or what to do instead of one. `trickle` sends one byte now and then, for ever. */
export type RelayReply =
  string | { readonly do: 'drop' | 'hang' | 'destroy' } | { readonly trickle: string; readonly everyMs: number };

export type RelayScript = (step: RelayStep) => RelayReply | undefined | Promise<RelayReply | undefined>;

const USUAL: Readonly<Record<RelayStage, string>> = {
  connect: '220 relay.test ESMTP',
  EHLO: '250-relay.test\r\n250-PIPELINING\r\n250 8BITMIME',
  STARTTLS: '454 4.7.0 TLS not available',
  AUTH: '235 2.7.0 Accepted',
  MAIL: '250 2.1.0 Ok',
  RCPT: '250 2.1.5 Ok',
  DATA: '354 End data with <CR><LF>.<CR><LF>',
  message: '250 2.0.0 Ok: queued as 4711',
  RSET: '250 2.0.0 Ok',
  QUIT: '221 2.0.0 Bye',
};

/** An SMTP server on a real socket that follows a script, and remembers everything that it was told. */
export class ScriptedRelay {
  /** Messages whose final dot arrived, whatever was answered. */
  readonly messages: string[] = [];
  /** Message-IDs of messages that were answered with 2xx. */
  readonly accepted: string[] = [];
  readonly recipients: string[] = [];
  readonly senders: string[] = [];
  connections = 0;
  readonly #times = new Map<RelayStage, number>();
  readonly #sockets = new Set<Socket>();
  readonly #served = new Set<Socket>();
  #server: Server | undefined;
  #port = 0;

  constructor(public script: RelayScript = () => undefined) {}

  /** Without those that were turned away and are about to close. */
  get openConnections(): number {
    return this.#served.size;
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.#port}`;
  }

  get port(): number {
    return this.#port;
  }

  /** Listens, the second time on the port of the first. */
  async start(): Promise<this> {
    const server = createServer((socket) => void this.#serve(socket));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.#port, '127.0.0.1', resolve);
    });
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
    return this;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    for (const socket of this.#sockets) socket.destroy();
    if (server) await new Promise((resolve) => server.close(resolve));
  }

  /** Cuts every open connection without a word, as a firewall or a crash does. */
  cutConnections(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  messageIds(): readonly string[] {
    return this.messages.map(messageIdOf);
  }

  async #serve(socket: Socket): Promise<void> {
    const connection = ++this.connections;
    this.#served.add(socket);
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#served.delete(socket);
      this.#sockets.delete(socket);
    });
    socket.setEncoding('latin1');
    const lines = new LineReader(socket);
    if (!(await this.#answer(socket, connection, 'connect', ''))) return;
    let recipients = 0;
    for (;;) {
      const line = await lines.next();
      if (line === undefined) return;
      const stage = stageOf(line);
      if (!stage) {
        socket.write('500 5.5.1 Unknown command\r\n');
        continue;
      }
      const address = /<([^>]*)>/.exec(line)?.[1] ?? '';
      if (stage === 'RCPT') this.recipients.push(address);
      if (stage === 'MAIL') this.senders.push(address);
      if (stage === 'DATA' && recipients === 0) {
        socket.write('554 5.5.1 No valid recipients\r\n');
        continue;
      }
      const reply = await this.#answer(socket, connection, stage, line);
      if (!reply) return;
      if (stage === 'MAIL' || stage === 'RSET') recipients = 0;
      if (stage === 'RCPT' && reply.startsWith('2')) recipients += 1;
      if (stage === 'QUIT') return void socket.end();
      if (stage === 'DATA' && reply.startsWith('3') && !(await this.#takeMessage(socket, connection, lines))) return;
    }
  }

  async #takeMessage(socket: Socket, connection: number, lines: LineReader): Promise<boolean> {
    const message: string[] = [];
    for (;;) {
      const line = await lines.next();
      if (line === undefined) return false;
      if (line === '.') break;
      message.push(line);
    }
    const text = message.join('\r\n');
    this.messages.push(text);
    const reply = await this.#answer(socket, connection, 'message', '.');
    if (reply?.startsWith('2')) this.accepted.push(messageIdOf(text));
    return reply !== undefined;
  }

  /** Resolves with the reply that was written, or undefined where the conversation is over. */
  async #answer(socket: Socket, connection: number, stage: RelayStage, line: string): Promise<string | undefined> {
    const time = (this.#times.get(stage) ?? 0) + 1;
    this.#times.set(stage, time);
    const reply = (await this.script({ stage, connection, time, line })) ?? USUAL[stage];
    if (typeof reply === 'string') {
      socket.write(`${reply}\r\n`);
      if (reply.startsWith('421')) {
        this.#served.delete(socket);
        socket.end();
      }
      return reply;
    }
    if ('trickle' in reply) {
      let at = 0;
      const timer = setInterval(() => socket.write(reply.trickle[at++ % reply.trickle.length] ?? ' '), reply.everyMs);
      socket.on('close', () => clearInterval(timer));
    } else if (reply.do === 'drop') {
      socket.end();
    } else if (reply.do === 'destroy') {
      socket.resetAndDestroy();
    }
    return undefined;
  }
}

function messageIdOf(message: string): string {
  return /^Message-ID:\s*(<[^>]*>)/im.exec(message)?.[1] ?? '';
}

function stageOf(line: string): RelayStage | undefined {
  const verb = line.split(/[ :]/, 1)[0]?.toUpperCase();
  if (verb === 'EHLO' || verb === 'HELO') return 'EHLO';
  const known: readonly RelayStage[] = ['STARTTLS', 'AUTH', 'MAIL', 'RCPT', 'DATA', 'RSET', 'QUIT'];
  return known.find((stage) => stage === verb);
}

/** Lines of a socket, one at a time. */
class LineReader {
  readonly #lines: string[] = [];
  #rest = '';
  #ended = false;
  #wake: (() => void) | undefined;

  constructor(socket: Socket) {
    socket.on('data', (chunk: string) => {
      const parts = (this.#rest + chunk).split('\r\n');
      this.#rest = parts.pop() ?? '';
      this.#lines.push(...parts);
      this.#wake?.();
    });
    socket.on('close', () => {
      this.#ended = true;
      this.#wake?.();
    });
  }

  async next(): Promise<string | undefined> {
    while (this.#lines.length === 0) {
      if (this.#ended) return undefined;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    return this.#lines.shift();
  }
}
