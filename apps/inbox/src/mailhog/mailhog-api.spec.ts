import { simpleParser } from 'mailparser';
import { eventually } from '@eticket/service/testing';
import { TestInbox } from '../testing/test-inbox.js';
import type { MailhogMessage } from './mailhog-message.js';

describe('MailHog’s API', () => {
  let inbox: TestInbox;

  beforeEach(async () => {
    inbox = await TestInbox.start();
  });
  afterEach(() => inbox.stop());

  it('lists nothing at first, with an empty array', async () => {
    expect(await inbox.messages()).toEqual({ total: 0, count: 0, start: 0, items: [] });
    expect(await inbox.json('/api/v1/messages')).toEqual([]);
  });

  it('gives a mail in MailHog’s shape', async () => {
    const response = await inbox.send({
      envelope: { from: 'bounce@ota.test', to: ['ana@example.test', 'copy@audit.test'] },
      from: 'Sky Travel <tickets@ota.test>',
      to: 'ana@example.test',
      subject: 'Your e-ticket',
      text: 'Have a good flight.',
    });
    const message = await inbox.newest();
    expect(response).toContain(message.ID);
    expect(message).toEqual({
      ID: expect.stringMatching(/^[\w-]+@inbox\.local$/) as string,
      From: { Relays: null, Mailbox: 'bounce', Domain: 'ota.test', Params: '' },
      To: [
        { Relays: null, Mailbox: 'ana', Domain: 'example.test', Params: '' },
        { Relays: null, Mailbox: 'copy', Domain: 'audit.test', Params: '' },
      ],
      Content: {
        Headers: expect.objectContaining({
          From: ['Sky Travel <tickets@ota.test>'],
          Subject: ['Your e-ticket'],
          'Return-Path': ['<bounce@ota.test>'],
          Received: [expect.stringContaining(message.ID)],
        }) as Record<string, string[]>,
        Body: 'Have a good flight.',
        Size: Buffer.byteLength(message.Raw.Data),
        MIME: null,
      },
      Created: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
      MIME: null,
      Raw: {
        From: 'bounce@ota.test',
        To: ['ana@example.test', 'copy@audit.test'],
        Data: expect.stringMatching(/^From: Sky Travel[^]*\r\n\r\nHave a good flight\.$/) as string,
        Helo: expect.any(String) as string,
      },
    });
    expect(await inbox.json(`/api/v1/messages/${message.ID}`)).toEqual(message);
    expect(await inbox.json('/api/v1/messages')).toEqual([message]);
  });

  it('gives the parts of a multipart mail, nested', async () => {
    await inbox.send({
      subject: 'Parts',
      text: 'text',
      html: '<img src="cid:qr@x">',
      attachments: [
        { filename: 'a.pdf', content: 'pdf' },
        { filename: 'qr.png', cid: 'qr@x', content: 'png' },
      ],
    });
    const types = (message: MailhogMessage['MIME']): unknown =>
      message?.Parts.map((part) => [part.Headers['Content-Type']?.[0]?.split(';')[0], types(part.MIME)]);
    expect(types((await inbox.newest()).MIME)).toEqual([
      [
        'multipart/alternative',
        [
          ['text/plain', undefined],
          [
            'multipart/related',
            [
              ['text/html', undefined],
              ['image/png', undefined],
            ],
          ],
        ],
      ],
      ['application/pdf', undefined],
    ]);
  });

  it('keeps every character of text, HTML, names and attachments in Raw.Data', async () => {
    const html = `<p>Grüße aus Łódź, 東京 &amp; <b>café</b> 🛫</p>${'<p>line</p>\n'.repeat(300)}`;
    const pdf = Buffer.from(Array.from({ length: 3_000 }, (_, index) => index % 256));
    await inbox.send({
      from: { name: 'Señor Ünïcode, "Q"', address: 'ota@example.test' },
      to: { name: '山田 太郎', address: 'taro@example.test' },
      subject: '✈️ Ihr Ticket für Zoë O’Brien — 東京',
      text: 'Zeile eins\n.\n..zwei Punkte\nFrom hier\n\nÄÖÜ 🎫',
      html,
      attachments: [{ filename: 'Bordkarte Zoë – 東京.pdf', content: pdf }],
    });
    const parsed = await simpleParser((await inbox.newest()).Raw.Data);
    expect(parsed.subject).toBe('✈️ Ihr Ticket für Zoë O’Brien — 東京');
    expect(parsed.from?.value).toEqual([{ name: 'Señor Ünïcode, "Q"', address: 'ota@example.test' }]);
    expect(parsed.to).toMatchObject({ value: [{ name: '山田 太郎', address: 'taro@example.test' }] });
    expect(parsed.text).toBe('Zeile eins\n.\n..zwei Punkte\nFrom hier\n\nÄÖÜ 🎫');
    expect(parsed.html).toBe(html);
    expect(parsed.attachments).toMatchObject([{ filename: 'Bordkarte Zoë – 東京.pdf' }]);
    expect(parsed.attachments[0]?.content.equals(pdf)).toBe(true);
  });

  it('keeps 8-bit UTF-8 in Raw.Data, and the exact bytes of any mail in the download', async () => {
    await inbox.sendRaw('Subject: Grüße\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nnaïve 🛫\r\n');
    expect((await inbox.newest()).Raw.Data).toMatch(/^Subject: Grüße\r\n[^]*naïve 🛫$/);

    const latin1 = Buffer.from(
      'Subject: x\r\nContent-Type: text/plain; charset=iso-8859-1\r\n\r\ncaf\xe9\r\n',
      'latin1',
    );
    await inbox.sendRaw(latin1);
    const message = await inbox.newest();
    expect(message.Raw.Data).toMatch(/caf\ufffd$/);
    const download = await inbox.get(`/api/v1/messages/${message.ID}/download`);
    expect(Buffer.from(await download.arrayBuffer()).equals(latin1)).toBe(true);
    expect(download.headers.get('content-disposition')).toMatch(/^attachment; .*\.eml/);
  });

  it('gives newest first, in pages, and no more than MailHog does', async () => {
    for (const subject of ['one', 'two', 'three']) await inbox.send({ subject, text: subject });
    const subjects = async (query: string) =>
      (await inbox.messages(query)).items.map((item) => item.Content.Headers['Subject']?.[0]);
    expect(await subjects('')).toEqual(['three', 'two', 'one']);
    expect(await subjects('?start=1&limit=1')).toEqual(['two']);
    expect(await inbox.messages('?start=1&limit=1')).toMatchObject({ total: 3, count: 1, start: 1 });
    expect(await inbox.messages('?start=7')).toEqual({ total: 3, count: 0, start: 7, items: [] });
    expect(await subjects('?start=-4&limit=many')).toEqual(['three', 'two', 'one']);
  });

  it('searches senders, recipients and contents regardless of case', async () => {
    await inbox.send({ from: 'Zoë <zoe@ota.test>', to: 'ana@example.test', subject: 'first', text: 'Gate B12' });
    await inbox.send({ from: 'max@ota.test', to: 'José <jose@example.test>', subject: 'second', text: 'Gate C3' });
    const total = async (kind: string, query: string) => (await inbox.search(kind, query)).total;
    expect(await total('from', 'ZOE@ota')).toBe(1);
    expect(await total('from', 'zoë')).toBe(1);
    expect(await total('to', 'jose@example.test')).toBe(1);
    expect(await total('to', 'example.test')).toBe(2);
    expect(await total('containing', 'gate c3')).toBe(1);
    expect(await total('containing', 'nowhere')).toBe(0);
    expect((await inbox.search('containing', 'gate')).items[0]?.Raw.From).toBe('max@ota.test');
  });

  it('finds what was encoded: subjects, names, base64 texts; and what was sent, as it was sent', async () => {
    await inbox.send({
      to: { name: 'Şükrü Öztürk', address: 'sukru@example.test' },
      subject: 'Ihr Flug nach München 🛫 ist bestätigt',
      text: 'Ваш билет готов',
      html: '<p>Ваш билет готов</p>',
    });
    for (const query of ['nach münchen 🛫', 'şükrü öztürk', 'билет готов', 'Content-Transfer-Encoding', '=?utf-8?']) {
      expect([query, (await inbox.search('containing', query)).total]).toEqual([query, 1]);
    }
  });

  it('refuses a search without its kind or words', async () => {
    for (const query of ['', '?kind=subject&query=x', '?kind=to', '?kind=to&query=']) {
      expect((await inbox.get(`/api/v2/search${query}`)).status).toBe(400);
    }
  });

  it('deletes one mail, and all', async () => {
    for (const subject of ['one', 'two', 'three']) await inbox.send({ subject, text: subject });
    const { ID } = await inbox.newest();
    expect((await inbox.get(`/api/v1/messages/${ID}`, { method: 'DELETE' })).status).toBe(200);
    expect((await inbox.messages()).items.map((item) => item.ID)).not.toContain(ID);
    expect((await inbox.get(`/api/v1/messages/${ID}`)).status).toBe(404);
    expect((await inbox.get(`/api/v1/messages/${ID}`, { method: 'DELETE' })).status).toBe(404);
    expect((await inbox.get('/api/v1/messages', { method: 'DELETE' })).status).toBe(200);
    expect(await inbox.messages()).toMatchObject({ total: 0, items: [] });
  });

  it('streams each mail that comes in', async () => {
    const abort = new AbortController();
    const response = await inbox.get('/api/v1/events', { signal: abort.signal });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    let text = '';
    const reading = (async () => {
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>)
        text += Buffer.from(chunk).toString();
    })().catch(() => undefined);
    await inbox.send({ subject: 'live', text: 'x' });
    const event = await eventually(() => /^data: (.*)\n\n/m.exec(text)?.[1] ?? false);
    expect(JSON.parse(event)).toEqual(await inbox.newest());
    abort.abort();
    await reading;
  });

  it('lets no other page read it, unless an origin is set', async () => {
    expect((await inbox.get('/api/v2/messages')).headers.get('access-control-allow-origin')).toBeNull();
    const open = await TestInbox.start({ INBOX_CORS_ORIGIN: 'http://localhost:4200' });
    try {
      for (const path of ['/api/v2/messages', '/api/v1/messages/x@y']) {
        const preflight = await open.get(path, { method: 'OPTIONS' });
        expect(preflight.status).toBe(200);
        expect(preflight.headers.get('access-control-allow-methods')).toBe('OPTIONS,GET,POST,DELETE');
        expect((await open.get(path)).headers.get('access-control-allow-origin')).toBe('http://localhost:4200');
      }
      expect((await open.get('/api/mails')).headers.get('access-control-allow-origin')).toBeNull();
    } finally {
      await open.stop();
    }
  });
});
