import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@eticket/service';
import { createTransport, type SendMailOptions } from 'nodemailer';
import { readInboxConfig } from '../inbox-config.js';
import type { MailhogMessage } from '../mailhog/mailhog-message.js';
import { type RunningInbox, startInbox } from '../start-inbox.js';

export interface MailhogList {
  readonly total: number;
  readonly count: number;
  readonly start: number;
  readonly items: readonly MailhogMessage[];
}

/** An inbox on free ports, with what a spec does to it. */
export class TestInbox {
  private constructor(
    readonly service: RunningInbox,
    /** All that was logged. */
    readonly logLines: readonly string[],
  ) {}

  static async start(env: NodeJS.ProcessEnv = {}): Promise<TestInbox> {
    const lines: string[] = [];
    const config = readInboxConfig({ PORT: '0', SMTP_PORT: '0', ...env });
    const logger = createLogger({
      service: 'inbox',
      level: 'debug',
      destination: { write: (line) => void lines.push(line) },
    });
    return new TestInbox(await startInbox(config, { logger }), lines);
  }

  stop(): Promise<void> {
    return this.service.stop();
  }

  async send(mail: SendMailOptions): Promise<string> {
    const transport = createTransport({ host: '127.0.0.1', port: this.service.smtpPort, ignoreTLS: true });
    const from = mail.envelope === undefined ? { from: 'ota@example.test', to: 'ana@example.test' } : {};
    const { response } = await transport.sendMail({ ...from, ...mail });
    return response;
  }

  /** Sends exactly these bytes as one mail. */
  sendRaw(raw: Buffer | string, to = 'ana@example.test'): Promise<string> {
    return this.send({ envelope: { from: 'ota@example.test', to }, raw });
  }

  get(path: string, options: RequestInit = {}): Promise<Response> {
    return fetch(`${this.service.url}${path}`, options);
  }

  async json<T>(path: string): Promise<T> {
    return (await (await this.get(path)).json()) as T;
  }

  messages(query = ''): Promise<MailhogList> {
    return this.json<MailhogList>(`/api/v2/messages${query}`);
  }

  search(kind: string, query: string): Promise<MailhogList> {
    return this.json<MailhogList>(`/api/v2/search?${new URLSearchParams({ kind, query }).toString()}`);
  }

  async newest(): Promise<MailhogMessage> {
    const [newest] = (await this.messages('?limit=1')).items;
    if (newest === undefined) throw new Error('the inbox is empty');
    return newest;
  }

  /** Path of the newest mail in the page's API. */
  async newestPath(): Promise<string> {
    return `/api/mails/${encodeURIComponent((await this.newest()).ID)}`;
  }
}

/** Speaks SMTP line by line, for what no well-behaved client does. */
export class SmtpClient {
  private received = '';

  private constructor(readonly socket: Socket) {
    socket.setEncoding('utf8').on('data', (text: string) => (this.received += text));
    socket.on('error', () => undefined);
  }

  static async connect(port: number): Promise<SmtpClient> {
    const client = new SmtpClient(connect(port, '127.0.0.1'));
    await client.reply();
    return client;
  }

  /** The next complete reply. */
  async reply(): Promise<string> {
    const deadline = Date.now() + 5_000;
    for (;;) {
      const match = /^(?:\d{3}-.*\r\n)*\d{3} .*\r\n/.exec(this.received);
      if (match !== null) {
        this.received = this.received.slice(match[0].length);
        return match[0];
      }
      if (Date.now() > deadline) throw new Error(`no reply, only ${JSON.stringify(this.received)}`);
      await new Promise((resolve) => this.socket.once('data', resolve).once('close', resolve));
    }
  }

  write(text: string): void {
    this.socket.write(text);
  }

  async say(line: string): Promise<string> {
    this.write(`${line}\r\n`);
    return this.reply();
  }
}

/** A new folder and the function that removes it. */
export async function temporaryFolder(): Promise<{ readonly path: string; readonly remove: () => Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), `inbox-${randomBytes(3).toString('hex')}-`));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
