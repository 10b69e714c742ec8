import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { jest } from '@jest/globals';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { eventually } from '@eticket/service/testing';
import { eticketEvent } from '../testing/eticket-fixtures.js';
import { TEST_MAIL } from '../testing/mail-bytes.js';
import { ScriptedRelay } from '../testing/scripted-relay.js';
import type { RelayScript } from '../testing/scripted-relay.js';
import { composeMail } from './compose-mail.js';
import type { ComposedMail } from './compose-mail.js';
import { SmtpTransport } from './smtp-transport.js';
import type { SmtpSettings } from './smtp-transport.js';

const never = () => new AbortController().signal;

describe('Sending to a relay', () => {
  const relays: ScriptedRelay[] = [];
  const transports: SmtpTransport[] = [];

  async function relay(script?: RelayScript): Promise<ScriptedRelay> {
    const started = await new ScriptedRelay(script).start();
    relays.push(started);
    return started;
  }
  function transport(url: string, settings: Partial<SmtpSettings> = {}): SmtpTransport {
    const made = new SmtpTransport({ url, maxConnections: 2, sendDeadlineMs: 5_000, ...settings });
    transports.push(made);
    return made;
  }
  let composed: ComposedMail;
  beforeAll(async () => {
    composed = await composeMail(eticketEvent(), TEST_MAIL);
  });
  /** A mail of its own, by its Message-ID. */
  const mail = (): ComposedMail => {
    const messageId = `<${randomUUID()}@meridian.example>`;
    return { messageId, message: { ...composed.message, messageId } };
  };

  afterEach(async () => {
    for (const made of transports.splice(0)) made.close();
    for (const started of relays.splice(0)) await started.stop();
  });

  it('hands over one mail with one RCPT TO and the envelope’s own sender', async () => {
    const server = await relay();
    const one = mail();
    expect(await transport(server.url).send(one, never())).toEqual({
      kind: 'sent',
      replyClass: '2xx',
      relayId: '4711',
    });
    expect(server.recipients).toEqual(['zoe+flights@example.ie']);
    expect(server.senders).toEqual(['tickets@meridian.example']);
    expect(server.messageIds()).toEqual([one.messageId]);
  });

  it('writes an international domain in its ASCII form', async () => {
    const server = await relay();
    await transport(server.url).send(
      await composeMail(eticketEvent('two flights to the other side'), TEST_MAIL),
      never(),
    );
    expect(server.recipients).toEqual(['j.mueller@xn--bcher-kva.example']);
  });

  it('tells the relay another address for non-delivery reports than readers see', async () => {
    const server = await relay();
    const settings = { ...TEST_MAIL, envelopeSender: 'bounces@meridian.example' };
    await transport(server.url).send(await composeMail(eticketEvent(), settings), never());
    expect(server.senders).toEqual(['bounces@meridian.example']);
    expect(server.messages[0]).toMatch(/^From: Meridian Travel <tickets@meridian\.example>/m);
  });

  describe('to an address with letters beyond ASCII before the @', () => {
    let international: ComposedMail;
    beforeAll(async () => {
      const contact = { email: 'lucía@bücher.example', phone: '+34911234567' };
      international = await composeMail(eticketEvent('one adult, one way', { contact }), TEST_MAIL);
    });
    const needsSmtpUtf8 = { kind: 'refused', code: 'recipient_needs_smtputf8', replyClass: 'none' };

    it('says so to a server that offers SMTPUTF8, and writes the address as people do', async () => {
      const lines: string[] = [];
      const server = await relay(({ stage, line }) => {
        if (stage === 'MAIL') lines.push(line);
        return stage === 'EHLO' ? '250-relay.test\r\n250-PIPELINING\r\n250 SMTPUTF8' : undefined;
      });
      const pooled = transport(server.url, { maxConnections: 1 });
      expect(await pooled.send(international, never())).toMatchObject({ kind: 'sent' });
      expect(Buffer.from(server.recipients[0] ?? '', 'latin1').toString()).toBe('lucía@bücher.example');
      // RFC 6531 §3.4: of no use to other mails, which a relay without it behind this one could not be given then.
      expect(await pooled.send(mail(), never())).toMatchObject({ kind: 'sent' });
      expect(lines.map((line) => line.includes('SMTPUTF8'))).toEqual([true, false]);
    });

    it('is refused where the server does not offer it: nothing is sent, and the connection goes on', async () => {
      const server = await relay();
      const pooled = transport(server.url, { maxConnections: 1 });
      expect(await pooled.send(mail(), never())).toMatchObject({ kind: 'sent' });
      expect(await pooled.send(international, never())).toEqual(needsSmtpUtf8);
      expect(await pooled.send(mail(), never())).toMatchObject({ kind: 'sent' });
      expect(server.recipients).toEqual(['zoe+flights@example.ie', 'zoe+flights@example.ie']);
      expect(server.senders).toHaveLength(2);
      expect(server.connections).toBe(1);
    });

    it('is refused by a server from before EHLO', async () => {
      const server = await relay(({ stage, line }) =>
        stage === 'EHLO' ? (line.startsWith('EHLO') ? '502 5.5.1 What?' : '250 relay.test') : undefined,
      );
      expect(await transport(server.url).send(international, never())).toEqual(needsSmtpUtf8);
      expect(await transport(server.url).send(mail(), never())).toMatchObject({ kind: 'sent' });
      expect(server.recipients).toEqual(['zoe+flights@example.ie']);
    });

    it('goes by each connection, since a relay’s name can stand for several machines', async () => {
      const server = await relay(({ stage, connection }) =>
        stage === 'EHLO' && connection > 1 ? '250-new.test\r\n250 SMTPUTF8' : undefined,
      );
      const pooled = transport(server.url, { maxConnections: 1 });
      expect(await pooled.send(international, never())).toEqual(needsSmtpUtf8);
      server.cutConnections();
      await eventually(() => server.openConnections === 0);
      expect(await pooled.send(international, never())).toMatchObject({ kind: 'sent' });
    });

    it.each([false, true])('with another server program, SMTPUTF8 hidden: %s', async (hideSMTPUTF8) => {
      const heard: { readonly smtpUtf8: boolean; readonly to: readonly string[] }[] = [];
      const server = new SMTPServer({
        authOptional: true,
        disabledCommands: ['STARTTLS'],
        hideSMTPUTF8,
        onData: (stream, { envelope }, done) => {
          stream.resume();
          stream.on('end', () => {
            heard.push({
              smtpUtf8: envelope.smtpUtf8 === true,
              to: envelope.rcptTo.map(({ address }) => address),
            });
            done();
          });
        },
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      try {
        const { port } = server.server.address() as AddressInfo;
        const pooled = transport(`smtp://127.0.0.1:${port}`, { maxConnections: 1 });
        const outcome = await pooled.send(international, never());
        expect(outcome).toEqual(hideSMTPUTF8 ? needsSmtpUtf8 : expect.objectContaining({ kind: 'sent' }));
        expect(await pooled.send(mail(), never())).toMatchObject({ kind: 'sent' });
        expect(heard).toEqual([
          ...(hideSMTPUTF8 ? [] : [{ smtpUtf8: true, to: ['lucía@bücher.example'] }]),
          { smtpUtf8: false, to: ['zoe+flights@example.ie'] },
        ]);
        pooled.close();
      } finally {
        await new Promise<void>((resolve) => server.close(() => resolve()));
      }
    });
  });

  it('signs with DKIM where it has a key, and still knows how far a sending came', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const dkim = {
      domain: 'meridian.example',
      selector: 'mail1',
      privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    };
    const server = await relay();
    const signing = transport(server.url, { dkim });
    expect(await signing.send(mail(), never())).toMatchObject({ kind: 'sent' });
    const head = server.messages[0]?.split('\r\n\r\n')[0]?.replace(/\r\n[ \t]+/g, ' ') ?? '';
    expect(head).toMatch(/^DKIM-Signature: v=1; a=rsa-sha256; c=relaxed\/relaxed; d=meridian\.example;.* s=mail1;/m);
    expect(head).toMatch(/h=[^;]*from[^;]*subject[^;]*message-id/i);
    server.script = ({ stage }) => (stage === 'message' ? { do: 'destroy' } : undefined);
    expect(await signing.send(mail(), never())).toMatchObject({ kind: 'unknown' });
    server.script = ({ stage }) => (stage === 'RCPT' ? '550 5.1.1 no' : undefined);
    expect(await signing.send(mail(), never())).toMatchObject({ kind: 'refused', code: 'recipient_refused' });
  });

  it('sends no more in a second than it may', async () => {
    const server = await relay();
    const paced = transport(server.url, { mailsPerSecond: 2 });
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: 5 }, () => paced.send(mail(), never())));
    expect(server.accepted).toHaveLength(5);
    expect(performance.now() - startedAt).toBeGreaterThan(1_800);
  });

  it('uses its connections again, and no more of them than it may', async () => {
    const server = await relay();
    const pooled = transport(server.url);
    await Promise.all(Array.from({ length: 12 }, () => pooled.send(mail(), never())));
    expect(server.accepted).toHaveLength(12);
    expect(server.connections).toBeLessThanOrEqual(2);
  });

  it.each<readonly [string, RelayScript, object]>([
    [
      '451 to RCPT',
      ({ stage }) => (stage === 'RCPT' ? '451 4.7.1 later' : undefined),
      { kind: 'deliver-again', code: 'recipient_deferred', replyClass: '4xx' },
    ],
    [
      '550 to RCPT',
      ({ stage }) => (stage === 'RCPT' ? '550 5.1.1 unknown' : undefined),
      { kind: 'refused', code: 'recipient_refused', replyClass: '5xx' },
    ],
    [
      '552 after the message',
      ({ stage }) => (stage === 'message' ? '552 storage exceeded' : undefined),
      { kind: 'deliver-again', code: 'mailbox_full', replyClass: '5xx' },
    ],
    [
      '554 after the message',
      ({ stage }) => (stage === 'message' ? '554 5.6.0 no' : undefined),
      { kind: 'refused', code: 'message_refused', replyClass: '5xx' },
    ],
    [
      '421 greeting',
      ({ stage }) => (stage === 'connect' ? '421 4.7.0 too many' : undefined),
      { kind: 'stop-the-line', code: 'mail_server_busy', replyClass: '4xx' },
    ],
    [
      '554 greeting',
      ({ stage }) => (stage === 'connect' ? '554 5.7.1 go away' : undefined),
      { kind: 'stop-the-line', code: 'mail_server_refuses_us', replyClass: '5xx' },
    ],
    [
      'a drop after accept',
      ({ stage }) => (stage === 'connect' ? { do: 'drop' } : undefined),
      { kind: 'stop-the-line', code: 'mail_server_unavailable' },
    ],
    [
      'a drop after EHLO',
      ({ stage }) => (stage === 'EHLO' ? { do: 'drop' } : undefined),
      { kind: 'stop-the-line', code: 'mail_server_unavailable' },
    ],
    [
      'a reset after EHLO',
      ({ stage }) => (stage === 'EHLO' ? { do: 'destroy' } : undefined),
      { kind: 'stop-the-line', code: 'mail_server_unavailable' },
    ],
    [
      'a drop after the message',
      ({ stage }) => (stage === 'message' ? { do: 'drop' } : undefined),
      { kind: 'unknown', code: 'outcome_unknown' },
    ],
    [
      'a reset after the message',
      ({ stage }) => (stage === 'message' ? { do: 'destroy' } : undefined),
      { kind: 'unknown', code: 'outcome_unknown' },
    ],
    [
      'refused sender',
      ({ stage }) => (stage === 'MAIL' ? '550 5.7.1 not you' : undefined),
      { kind: 'stop-the-line', code: 'sender_refused' },
    ],
    [
      '421 to RCPT',
      ({ stage }) => (stage === 'RCPT' ? '421 4.3.2 closing' : undefined),
      { kind: 'deliver-again', code: 'mail_server_closing' },
    ],
  ])('understands %s', async (_what, script, outcome) => {
    const server = await relay(script);
    expect(await transport(server.url).send(mail(), never())).toMatchObject(outcome);
  });

  it('sends nothing a second time when it does not know whether the first arrived (P10)', async () => {
    const server = await relay(({ stage }) => (stage === 'message' ? { do: 'destroy' } : undefined));
    expect(await transport(server.url).send(mail(), never())).toMatchObject({ kind: 'unknown' });
    expect(server.messages).toHaveLength(1);
    expect(server.connections).toBe(1);
  });

  it.each(['connect', 'EHLO'] as const)('asks once when the relay drops it at %s (P10)', async (dropAt) => {
    const server = await relay(({ stage }) => (stage === dropAt ? { do: 'drop' } : undefined));
    await transport(server.url).send(mail(), never());
    expect(server.connections).toBe(1);
  });

  it('finds no one there', async () => {
    const server = await relay();
    await server.stop();
    const outcome = await transport(server.url).send(mail(), never());
    expect(outcome).toEqual({ kind: 'stop-the-line', code: 'mail_server_unavailable', replyClass: 'none' });
  });

  it('is refused with a wrong password', async () => {
    const server = await relay(({ stage }) =>
      stage === 'EHLO' ? '250-relay.test\r\n250 AUTH PLAIN LOGIN' : stage === 'AUTH' ? '535 5.7.8 wrong' : undefined,
    );
    const outcome = await transport(server.url.replace('//', '//user:secret@')).send(mail(), never());
    expect(outcome).toMatchObject({ kind: 'stop-the-line', code: 'mail_server_login_refused' });
  });

  it('demands TLS where it is told to', async () => {
    const server = await relay();
    const outcome = await transport(`${server.url}?requireTLS=true`).send(mail(), never());
    expect(outcome).toMatchObject({ kind: 'stop-the-line', code: 'mail_server_tls_failed' });
    expect(server.senders).toEqual([]);
  });

  describe('over TLS', () => {
    let secure: SMTPServer;
    let port: number;
    const mails: string[] = [];
    beforeEach(async () => {
      mails.length = 0;
      // It comes with a certificate that it signed itself, which is what is wanted here, and warns of it.
      const warning = jest.spyOn(console, 'error').mockImplementation(() => undefined);
      secure = new SMTPServer({
        authMethods: ['PLAIN'],
        onAuth: ({ username, password }, session, done) =>
          username === 'user' && password === 'p@ss' && session.secure
            ? done(null, { user: username })
            : done(new Error('no')),
        onData: (stream, session, done) => {
          stream.resume();
          stream.on('end', () => {
            mails.push(session.envelope.rcptTo[0]?.address ?? '');
            done();
          });
        },
      });
      warning.mockRestore();
      secure.on('error', () => undefined);
      await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve));
      port = (secure.server.address() as AddressInfo).port;
    });
    afterEach(() => new Promise<void>((resolve) => secure.close(() => resolve())));

    it('logs in after STARTTLS', async () => {
      const url = `smtp://user:p%40ss@127.0.0.1:${port}?requireTLS=true&tls.rejectUnauthorized=false`;
      expect(await transport(url).send(mail(), never())).toMatchObject({ kind: 'sent' });
      expect(mails).toEqual(['zoe+flights@example.ie']);
    });

    it('trusts no certificate that nobody vouches for', async () => {
      const outcome = await transport(`smtp://user:p%40ss@127.0.0.1:${port}`).send(mail(), never());
      expect(outcome).toMatchObject({ kind: 'stop-the-line', code: 'mail_server_tls_failed' });
      expect(mails).toEqual([]);
    });
  });

  describe('keeps one deadline (P11) when the relay', () => {
    const hanging: readonly (readonly [string, RelayScript, string])[] = [
      ['never greets', ({ stage }) => (stage === 'connect' ? { do: 'hang' } : undefined), 'stop-the-line'],
      ['falls silent after MAIL FROM', ({ stage }) => (stage === 'MAIL' ? { do: 'hang' } : undefined), 'deliver-again'],
      [
        'sends a byte now and then',
        ({ stage }) => (stage === 'MAIL' ? { trickle: '250-wait', everyMs: 50 } : undefined),
        'deliver-again',
      ],
      ['falls silent after the message', ({ stage }) => (stage === 'message' ? { do: 'hang' } : undefined), 'unknown'],
    ];
    it.each(hanging)('%s, and has the slot free again', async (_what, script, kind) => {
      const server = await relay(script);
      const slow = transport(server.url, { maxConnections: 1, sendDeadlineMs: 400 });
      const startedAt = performance.now();
      expect(await slow.send(mail(), never())).toMatchObject({ kind });
      expect(performance.now() - startedAt).toBeLessThan(1_500);
      server.script = () => undefined;
      expect(await slow.send(mail(), never())).toMatchObject({ kind: 'sent' });
    });
  });

  it('gives up at once when its caller does', async () => {
    const server = await relay(({ stage }) => (stage === 'RCPT' ? { do: 'hang' } : undefined));
    const caller = new AbortController();
    const sending = transport(server.url).send(mail(), caller.signal);
    await eventually(() => server.recipients.length === 1);
    caller.abort();
    expect(await sending).toMatchObject({ kind: 'deliver-again' });
  });

  it('goes on over a new connection when a pooled one died unnoticed (P11)', async () => {
    const server = await relay();
    const pooled = transport(server.url, { maxConnections: 1 });
    await pooled.send(mail(), never());
    server.script = ({ stage, connection }) => (stage === 'MAIL' && connection === 1 ? { do: 'destroy' } : undefined);
    expect(await pooled.send(mail(), never())).toMatchObject({ kind: 'sent' });
    expect(server.messages).toHaveLength(2);
  });

  it('holds fewer connections when the relay turns one away, and loses no mail by it (P12)', async () => {
    const server: ScriptedRelay = await relay(async ({ stage }) => {
      if (stage === 'connect' && server.openConnections > 2) return '421 4.7.0 Too many connections';
      if (stage === 'message') await new Promise((resolve) => setTimeout(resolve, 20));
      return undefined;
    });
    const busy = transport(server.url, { maxConnections: 8 });
    const outcomes = await Promise.all(Array.from({ length: 40 }, () => busy.send(mail(), never())));
    expect(outcomes.filter(({ kind }) => kind === 'sent')).toHaveLength(40);
    expect(new Set(server.accepted).size).toBe(40);
    expect(server.connections).toBeLessThan(20);
  });

  it('closes, also in the middle of a sending', async () => {
    const server = await relay(({ stage }) => (stage === 'RCPT' ? { do: 'hang' } : undefined));
    const closing = transport(server.url);
    const sending = closing.send(mail(), never());
    await eventually(() => server.recipients.length === 1);
    closing.close();
    closing.close();
    expect(await sending).toMatchObject({ kind: 'deliver-again' });
    await eventually(() => server.openConnections === 0);
  });
});
