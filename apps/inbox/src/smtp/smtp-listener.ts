import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import type { Envelope, Mail } from '../mails/mail.js';
import { asciiDomain } from './ascii-domain.js';

/** What the listener accepts and where. */
export interface SmtpListenerOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Larger messages are refused with 552. */
  readonly maxMessageBytes: number;
  /** Bytes of messages that may be on their way in at once, over all connections; more are put off with 452. */
  readonly maxReceivingBytes: number;
  /** Keeps a message; 250 is answered when it resolves, 452 when it rejects. */
  readonly accept: (envelope: Envelope, raw: Buffer) => Promise<Mail>;
  readonly onAccepted: (mail: Mail) => void;
  readonly onRefused: (reason: SmtpRefusal, error?: unknown) => void;
}

export type SmtpRefusal = 'too-large' | 'too-busy' | 'storage-failed' | 'connection-lost';

/** Clients beyond these are told 421. A worker uses a handful. */
const MAX_CONNECTIONS = 100;
const MAX_RECIPIENTS = 1000;
/** A client may be silent for so long (RFC 5321 section 4.5.3.2 has minutes; this is one machine). */
const IDLE_TIMEOUT_MS = 60_000;
/** At the end, connections have so long to finish what they are sending. */
const CLOSE_TIMEOUT_MS = 1_000;

/** Takes mail by SMTP: any client, any credentials, any sender, any recipient. */
export class SmtpListener {
  private readonly server: SMTPServer;
  private receivingBytes = 0;

  constructor(private readonly options: SmtpListenerOptions) {
    this.server = new SMTPServer({
      name: 'inbox.local',
      banner: 'development inbox, nothing is delivered',
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      disableReverseLookup: true,
      logger: false,
      size: options.maxMessageBytes,
      maxClients: MAX_CONNECTIONS,
      maxRecipients: MAX_RECIPIENTS,
      maxAllowedUnauthenticatedCommands: false,
      socketTimeout: IDLE_TIMEOUT_MS,
      closeTimeout: CLOSE_TIMEOUT_MS,
      onAuth: (auth, _session, done) => done(null, { user: auth.username ?? 'anyone' }),
      onData: (stream, session, done) => {
        this.receive(stream, session).then(
          (mail) => done(null, `OK: queued as ${mail.id}`),
          (error: unknown) => done(error instanceof Error ? error : new Error('Error in processing')),
        );
      },
    });
  }

  /** Resolves with the port when connections are taken; rejects with the system's error when the port is not to be had. */
  async listen(): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(this.options.port, this.options.host, () => {
        this.server.off('error', reject);
        // Lost connections end here; the mail they carried is reported by `receive`.
        this.server.on('error', () => undefined);
        resolve();
      });
    });
    return (this.server.server.address() as AddressInfo).port;
  }

  /** Takes no more connections, lets transactions finish for a second, and ends the rest. */
  close(): Promise<void> {
    return new Promise((resolve) => this.server.close(resolve));
  }

  private async receive(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<Mail> {
    const raw = await this.readAll(stream);
    let mail: Mail;
    try {
      mail = await this.options.accept(envelopeOf(session), raw);
    } catch (error) {
      this.options.onRefused('storage-failed', error);
      throw smtpError(452, 'Insufficient system storage, try again later');
    }
    this.options.onAccepted(mail);
    return mail;
  }

  /** Reads the stream to its end in any case: SMTP has no way to interrupt a client. */
  private async readAll(stream: SMTPServerDataStream): Promise<Buffer> {
    const { maxMessageBytes, maxReceivingBytes, onRefused } = this.options;
    let chunks: Buffer[] = [];
    let held = 0;
    let tooBusy = false;
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        if (tooBusy || stream.byteLength > maxMessageBytes) {
          this.receivingBytes -= held;
          [chunks, held] = [[], 0];
          continue;
        }
        chunks.push(chunk);
        held += chunk.length;
        this.receivingBytes += chunk.length;
        tooBusy = this.receivingBytes > maxReceivingBytes;
      }
    } catch (error) {
      onRefused('connection-lost', error);
      throw error;
    } finally {
      this.receivingBytes -= held;
    }
    if (stream.sizeExceeded) {
      onRefused('too-large');
      throw smtpError(552, `Message exceeds fixed maximum message size of ${maxMessageBytes} bytes`);
    }
    if (tooBusy) {
      onRefused('too-busy');
      throw smtpError(452, 'Too much mail at once, try again later');
    }
    return Buffer.concat(chunks);
  }
}

function envelopeOf({ envelope, hostNameAppearsAs }: SMTPServerSession): Envelope {
  // smtp-server shows domains in Unicode; MailHog shows what was sent.
  const asSent = (address: string): string => (envelope.smtpUtf8 === true ? address : asciiDomain(address));
  return {
    from: envelope.mailFrom === false ? '' : asSent(envelope.mailFrom.address),
    to: envelope.rcptTo.map(({ address }) => asSent(address)),
    helo: hostNameAppearsAs,
  };
}

function smtpError(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}
