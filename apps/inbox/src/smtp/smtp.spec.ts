import { connect } from 'node:net';
import { createTransport } from 'nodemailer';
import { eventually } from '@eticket/service/testing';
import { SmtpClient, TestInbox } from '../testing/test-inbox.js';

describe('The inbox’s SMTP side', () => {
  let inbox: TestInbox;

  beforeEach(async () => {
    inbox = await TestInbox.start({ INBOX_MAX_MESSAGE_BYTES: '50000', INBOX_MAX_BYTES: '120000' });
  });
  afterEach(() => inbox.stop());

  it('takes any credentials, and none', async () => {
    await inbox.send({ subject: 'none', text: 'x' });
    for (const method of ['PLAIN', 'LOGIN']) {
      const transport = createTransport({
        host: '127.0.0.1',
        port: inbox.service.smtpPort,
        ignoreTLS: true,
        authMethod: method,
        auth: { user: 'anyone', pass: 'anything' },
      });
      await transport.sendMail({ from: 'a@x.test', to: 'b@x.test', subject: method, text: 'x' });
    }
    expect((await inbox.messages()).total).toBe(3);
  });

  it('offers what modern clients use', async () => {
    const client = await SmtpClient.connect(inbox.service.smtpPort);
    const offered = await client.say('EHLO client.test');
    for (const extension of ['PIPELINING', '8BITMIME', 'SMTPUTF8', 'SIZE 50000']) expect(offered).toContain(extension);
    expect(offered).not.toContain('STARTTLS');
    client.socket.destroy();
  });

  it('takes pipelined commands, and shows addresses as they were sent', async () => {
    const client = await SmtpClient.connect(inbox.service.smtpPort);
    await client.say('EHLO client.test');
    client.write('MAIL FROM:<>\r\nRCPT TO:<zoe@xn--bcher-kva.example>\r\nRCPT TO:<b@x.test>\r\nDATA\r\n');
    for (const code of ['250', '250', '250', '354']) expect((await client.reply()).slice(0, 3)).toBe(code);
    expect(await client.say('Subject: piped\r\n\r\n..leading dot\r\n.')).toMatch(/^250 /);
    client.write('MAIL FROM:<zoë@bücher.example> SMTPUTF8\r\nRCPT TO:<b@x.test>\r\nDATA\r\n');
    for (const code of ['250', '250', '354']) expect((await client.reply()).slice(0, 3)).toBe(code);
    await client.say('Subject: utf8\r\n\r\nx\r\n.');
    const [utf8, piped] = (await inbox.messages()).items;
    expect(piped?.Raw).toEqual({
      From: '',
      To: ['zoe@xn--bcher-kva.example', 'b@x.test'],
      Data: 'Subject: piped\r\n\r\n.leading dot',
      Helo: 'client.test',
    });
    expect(utf8?.From).toMatchObject({ Mailbox: 'zoë', Domain: 'bücher.example' });
    client.socket.destroy();
  });

  it('takes a mail of the greatest size and refuses a larger one with 552, announced or not', async () => {
    const raw = (bytes: number) => `Subject: big\r\n\r\n${'x'.repeat(bytes - 'Subject: big\r\n\r\n\r\n'.length)}\r\n`;
    await inbox.sendRaw(raw(50_000));
    await expect(inbox.sendRaw(raw(60_000))).rejects.toMatchObject({ responseCode: 552 });

    const client = await SmtpClient.connect(inbox.service.smtpPort);
    for (const line of ['EHLO x', 'MAIL FROM:<a@x.test>', 'RCPT TO:<b@x.test>', 'DATA']) await client.say(line);
    expect(await client.say(`${raw(50_001)}.`)).toMatch(/^552 /);
    for (const line of ['MAIL FROM:<a@x.test>', 'RCPT TO:<b@x.test>', 'DATA']) await client.say(line);
    expect(await client.say('Subject: after\r\n\r\nstill usable\r\n.')).toMatch(/^250 /);
    client.socket.destroy();
    expect((await inbox.messages()).total).toBe(2);
  });

  it('keeps nothing of a mail whose sender vanished before its end', async () => {
    const client = await SmtpClient.connect(inbox.service.smtpPort);
    for (const line of ['EHLO x', 'MAIL FROM:<a@x.test>', 'RCPT TO:<b@x.test>', 'DATA']) await client.say(line);
    client.write('Subject: half\r\n\r\nhalf of a te');
    client.socket.destroy();
    await eventually(() => inbox.logLines.some((line) => line.includes('connection-lost')));
    expect((await inbox.messages()).total).toBe(0);
  });

  it('keeps nothing of a mail before its end was seen, and says so only then', async () => {
    const client = await SmtpClient.connect(inbox.service.smtpPort);
    for (const line of ['EHLO x', 'MAIL FROM:<a@x.test>', 'RCPT TO:<b@x.test>', 'DATA']) await client.say(line);
    client.write('Subject: slow\r\n\r\nx\r\n');
    expect((await inbox.messages()).total).toBe(0);
    expect(await client.say('.')).toMatch(/^250 /);
    expect((await inbox.messages()).total).toBe(1);
    client.socket.destroy();
  });

  it('puts mail off when more is on its way than it has room for, and takes it later', async () => {
    const clients = await Promise.all(Array.from({ length: 4 }, () => SmtpClient.connect(inbox.service.smtpPort)));
    for (const client of clients) {
      for (const line of ['EHLO x', 'MAIL FROM:<a@x.test>', 'RCPT TO:<b@x.test>', 'DATA']) await client.say(line);
      client.write(`Subject: many\r\n\r\n${'x'.repeat(40_000)}\r\n`);
    }
    await eventually(async () => (await inbox.get('/health/live')).ok);
    const codes: string[] = [];
    for (const client of clients) codes.push((await client.say('.')).slice(0, 3));
    expect(codes).toContain('452');
    const putOff = clients[codes.indexOf('452')];
    for (const line of ['MAIL FROM:<a@x.test>', 'RCPT TO:<b@x.test>', 'DATA']) await putOff?.say(line);
    expect(await putOff?.say('Subject: again\r\n\r\nx\r\n.')).toMatch(/^250 /);
    for (const client of clients) client.socket.destroy();
  });

  it('drops the oldest mails beyond its limits', async () => {
    const small = await TestInbox.start({
      INBOX_MAX_MESSAGES: '3',
      INBOX_MAX_BYTES: '3000',
      INBOX_MAX_MESSAGE_BYTES: '3000',
    });
    const subjects = async () =>
      (await small.messages()).items.map((item) => item.Content.Headers['Subject']?.[0]).join(' ');
    try {
      for (const subject of ['1', '2', '3', '4']) await small.sendRaw(`Subject: ${subject}\r\n\r\nx\r\n`);
      expect(await subjects()).toBe('4 3 2');
      await small.sendRaw(`Subject: large\r\n\r\n${'x'.repeat(2_970)}\r\n`);
      expect(await subjects()).toBe('large');
    } finally {
      await small.stop();
    }
  });

  it('logs neither addresses nor subjects nor texts', async () => {
    await inbox.send({ from: 'who@ota.test', to: 'ana@example.test', subject: 'Secret-subject', text: 'Secret-text' });
    await inbox.search('containing', 'Secret-query');
    await inbox.get(`${await inbox.newestPath()}`);
    const log = inbox.logLines.join('');
    expect(log).toContain('mail accepted');
    expect(log).not.toMatch(/who|ana@|ota\.test|Secret/);
  });

  it('counts mails at /metrics and is alive and ready', async () => {
    await inbox.send({ subject: 'x', text: 'x' });
    await inbox.sendRaw('x'.repeat(60_000)).catch(() => undefined);
    const metrics = await (await inbox.get('/metrics')).text();
    expect(metrics).toMatch(/^inbox_mails_accepted_total\{.*\} 1$/m);
    expect(metrics).toMatch(/^inbox_mails_kept\{.*\} 1$/m);
    for (const path of ['/health/live', '/health/ready']) expect((await inbox.get(path)).status).toBe(200);
  });
});

describe('Starting and stopping the inbox', () => {
  it.each([
    ['SMTP_PORT', (inbox: TestInbox) => inbox.service.smtpPort],
    ['PORT', (inbox: TestInbox) => Number(new URL(inbox.service.url).port)],
  ])('says which setting to change when the port of %s is taken', async (setting, portOf) => {
    const first = await TestInbox.start();
    try {
      const taken = String(portOf(first));
      await expect(TestInbox.start({ [setting]: taken })).rejects.toThrow(
        new RegExp(`^Port ${taken} on 127\\.0\\.0\\.1, .* set ${setting} to a free port\\.$`),
      );
    } finally {
      await first.stop();
    }
  });

  it('gives the SMTP port back when the page’s port is taken', async () => {
    const first = await TestInbox.start();
    const smtpPort = first.service.smtpPort;
    await first.stop();
    const second = await TestInbox.start();
    const taken = { PORT: new URL(second.service.url).port, SMTP_PORT: String(smtpPort) };
    await expect(TestInbox.start(taken)).rejects.toThrow('is taken');
    const third = await TestInbox.start({ SMTP_PORT: String(smtpPort) });
    await Promise.all([second.stop(), third.stop()]);
  });

  it('stops within three seconds with an event stream, an idle and a half-way SMTP connection open, and twice', async () => {
    const inbox = await TestInbox.start();
    const streams = await Promise.all([inbox.get('/api/v1/events'), inbox.get('/api/mails/events')]);
    const idle = connect(inbox.service.smtpPort, '127.0.0.1').on('error', () => undefined);
    const halfWay = await SmtpClient.connect(inbox.service.smtpPort);
    for (const line of ['EHLO x', 'MAIL FROM:<a@x.test>', 'RCPT TO:<b@x.test>', 'DATA']) await halfWay.say(line);
    const started = performance.now();
    await Promise.all([inbox.stop(), inbox.stop()]);
    expect(performance.now() - started).toBeLessThan(3_000);
    await Promise.all(streams.map((stream) => stream.text()));
    await expect(inbox.get('/')).rejects.toThrow();
    idle.destroy();
    halfWay.socket.destroy();
  });
});
