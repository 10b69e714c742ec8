import { TestInbox } from '../testing/test-inbox.js';
import type { MailItem, MailView } from './mail-view.js';

interface Page {
  readonly data: { readonly total: number; readonly kept: number; readonly items: readonly MailItem[] };
}

describe('The inbox’s page', () => {
  let inbox: TestInbox;

  beforeEach(async () => {
    inbox = await TestInbox.start();
  });
  afterEach(() => inbox.stop());

  const list = async (query = '') =>
    (await inbox.json<Page>(`/api/mails?${new URLSearchParams({ query }).toString()}`)).data;
  const open = async () => (await inbox.json<{ data: MailView }>(await inbox.newestPath())).data;
  const html = async () => (await inbox.get(`${await inbox.newestPath()}/html`)).text();

  it('is served with all its files, under a policy that runs nothing but them', async () => {
    const response = await inbox.get('/');
    expect(response.headers.get('content-type')).toMatch(/^text\/html/);
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    const page = await response.text();
    expect(page).not.toMatch(/<script(?! type="module" src)|style=| on\w+=/);
    const files = [...page.matchAll(/(?:src|href)="(\/[^"]+\.\w+)"/g)].map((match) => match[1] ?? '');
    expect(files).toEqual(expect.arrayContaining(['/inbox.js', '/inbox.css', '/icon.svg']));
    for (const file of [...files, '/mail-list.js', '/mail-view.js', '/elements.js', '/format.js', '/inbox-api.js']) {
      const served = await inbox.get(file);
      expect([file, served.status]).toEqual([file, 200]);
      expect(served.headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  it('gives nothing outside its folder', async () => {
    for (const path of ['/package.json', '/..%2fpackage.json', '/%2e%2e/package.json', '/public/inbox.js']) {
      expect((await inbox.get(path)).status).toBe(404);
    }
  });

  it('lists decoded sender, recipients, subject, size and attachments', async () => {
    await inbox.send({
      from: { name: 'Zoë', address: 'zoe@ota.test' },
      to: [{ name: '山田 太郎', address: 'taro@example.test' }, 'b@example.test'],
      subject: '✈️ Grüße',
      html: '<img src="cid:a@b">',
      attachments: [
        { filename: 'a.pdf', content: 'x' },
        { filename: 'qr.png', cid: 'a@b', content: 'x' },
      ],
    });
    const { total, items } = await list();
    expect(total).toBe(1);
    expect(items).toMatchObject([
      {
        from: [{ name: 'Zoë', address: 'zoe@ota.test' }],
        to: [{ name: '山田 太郎', address: 'taro@example.test' }, { address: 'b@example.test' }],
        subject: '✈️ Grüße',
        attachmentCount: 1,
      },
    ]);
  });

  it('searches by all words in decoded subject, names, addresses and text, however accents are composed', async () => {
    await inbox.send({
      to: 'Şule <sule@example.test>',
      subject: 'Flug nach Zürich',
      text: 'Sitz 12A',
      html: '<b>Sitz</b>',
    });
    await inbox.send({ to: 'Ana <ana@example.test>', subject: 'Vuelo a Málaga', text: 'Asiento 3C' });
    for (const query of ['zürich', 'ZU\u0308RICH flug', 'şule@', 'sule@example.test', '12a zürich', 'sitz']) {
      const expected = query === 'şule@' ? 0 : 1;
      expect([query, (await list(query)).total]).toEqual([query, expected]);
    }
    expect(await list('málaga sitz')).toMatchObject({ total: 0, kept: 2 });
    expect((await list('  ')).total).toBe(2);
  });

  it('shows text, headers, envelope and attachments decoded', async () => {
    await inbox.send({
      envelope: { from: 'bounce@ota.test', to: ['ana@example.test', 'blind@example.test'] },
      from: 'ota@example.test',
      to: 'ana@example.test',
      replyTo: 'help@ota.test',
      subject: 'Grüße',
      text: 'Hallo ä',
      references: ['<a@b>', '<c@d>'],
      headers: [
        { key: 'X-Note', value: 'eins' },
        { key: 'X-Note', value: 'zwei ✈' },
      ],
      attachments: [{ filename: 'Reise ✈.ics', content: 'BEGIN:VCALENDAR' }],
    });
    const mail = await open();
    expect(mail).toMatchObject({
      decoded: true,
      subject: 'Grüße',
      text: 'Hallo ä',
      hasHtml: false,
      replyTo: [{ address: 'help@ota.test' }],
      envelope: { from: 'bounce@ota.test', to: ['ana@example.test', 'blind@example.test'] },
      attachments: [{ filename: 'Reise ✈.ics', inline: false, size: 15 }],
    });
    expect(mail.headers).toEqual(
      expect.arrayContaining([
        ['Subject', 'Grüße'],
        ['X-Note', 'eins'],
        ['X-Note', 'zwei ✈'],
        ['References', '<a@b> <c@d>'],
      ]),
    );
    expect((await inbox.get(`${await inbox.newestPath()}/html`)).status).toBe(404);
  });

  it('frames a mail’s HTML in a sandbox without scripts, forms and network, with its images inside', async () => {
    await inbox.send({
      subject: 'x',
      html: '<!doctype html><style>p{color:red}</style><p>Hi <img src="cid:qr@x"></p>',
      attachments: [{ filename: 'qr.png', cid: 'qr@x', content: Buffer.from('png!'), contentType: 'image/png' }],
    });
    const response = await inbox.get(`${await inbox.newestPath()}/html`);
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^sandbox allow-popups allow-popups-to-escape-sandbox;/);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("form-action 'none'");
    expect(policy).not.toMatch(/allow-(scripts|same-origin|forms|top)/);
    const document = await response.text();
    expect(document).toContain('<style>p{color:red}</style>');
    expect(document).toContain('src="data:image/png;base64,cG5nIQ=="');
  });

  it('shows no script, redirect, frame or foreign base of an attacker’s mail', async () => {
    await inbox.send({
      subject: '<script>alert(1)</script>',
      html: `<base href="https://evil.test/"><meta http-equiv="refresh" content="0;url=https://evil.test">
        <script>top.owned=1</script><p onclick="top.owned=1">text</p><iframe src="https://evil.test"></iframe>
        <link rel="preconnect" href="https://evil.test"><object data="x"></object><svg><script>top.owned=1</script></svg>
        <a href="javascript:top.owned=1">js</a><a href="/api/v1/messages">relative</a><a href="#part">part</a>
        <a target="_top" rel="opener" ping="https://evil.test" href="https://ota.test/">out</a>`,
    });
    const document = await html();
    expect(document).not.toMatch(/<(script|base|iframe|link|object|meta http)|onclick|javascript:|\/api\/|ping|_top/i);
    expect(document).toContain('<a href="https://ota.test/" target="_blank" rel="noopener noreferrer">out</a>');
    expect(document).toContain('<a href="#part">part</a>');
  });

  it('gives attachments as downloads of plain bytes, whatever they say they are', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
    await inbox.send({
      subject: 'x',
      text: 'x',
      attachments: [
        { filename: '../"evil"\u202egpj.svg', contentType: 'image/svg+xml', content: svg },
        { filename: 'page.html', contentType: 'text/html', content: '<script>alert(1)</script>' },
      ],
    });
    const path = await inbox.newestPath();
    for (const index of [0, 1]) {
      const response = await inbox.get(`${path}/attachments/${index}`);
      expect(response.headers.get('content-type')).toBe('application/octet-stream');
      expect(response.headers.get('content-disposition')).toMatch(
        /^attachment; filename="[\w. -]+"; filename\*=UTF-8''/,
      );
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(response.headers.get('content-security-policy')).toMatch(/^sandbox;/);
      if (index === 0) expect(await response.text()).toBe(svg);
    }
    for (const index of ['2', '-1', 'x', '0.5']) {
      expect((await inbox.get(`${path}/attachments/${index}`)).status).toBe(404);
    }
  });

  it('gives the source as text that no browser takes for anything else', async () => {
    await inbox.sendRaw('<script>alert(1)</script>\r\nSubject: x\r\n\r\n<html>\r\n');
    const response = await inbox.get(`${await inbox.newestPath()}/source`);
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await response.text()).toBe('<script>alert(1)</script>\r\nSubject: x\r\n\r\n<html>\r\n');
  });

  it('lists and shows mails that nobody can decode, by envelope and source', async () => {
    const parts = '--b\r\nContent-Type: text/plain\r\n\r\nx\r\n'.repeat(1_500);
    await inbox.sendRaw(`Subject: parts\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${parts}--b--\r\n`);
    expect((await list()).items).toMatchObject([{ from: [{ address: 'ota@example.test' }], subject: '' }]);
    expect(await open()).toMatchObject({ decoded: false, hasHtml: false, envelope: { to: ['ana@example.test'] } });
    for (const raw of ['', 'no headers at all\r\n', 'Subject:\r\n\r\n', '\r\n\r\n\0\0']) {
      await inbox.sendRaw(raw);
      expect((await inbox.get(await inbox.newestPath())).status).toBe(200);
    }
    expect((await inbox.messages()).total).toBe(5);
    expect((await inbox.search('containing', 'headers at all')).total).toBe(1);
  });

  it.each([
    ['bottomless', '<div>'.repeat(200_000)],
    ['endless', '<p>x</p>'.repeat(200_000)],
    ['explosive', '<p>' + Array.from({ length: 900 }, (_, index) => `<b a${index}>`).join('') + '<p>x'.repeat(20_000)],
  ])('does not lay out %s HTML, and says so', async (_kind, attack) => {
    await inbox.send({ subject: 'large', html: attack });
    const document = await html();
    expect(document.length).toBeLessThan(1_000);
    expect(document).toContain('too large to be shown');
  });

  it('answers 404 for a mail that is gone', async () => {
    await inbox.send({ subject: 'x', text: 'x' });
    const path = await inbox.newestPath();
    await inbox.get('/api/v1/messages', { method: 'DELETE' });
    for (const part of ['', '/html', '/source', '/attachments/0']) {
      expect((await inbox.get(`${path}${part}`)).status).toBe(404);
    }
  });
});
