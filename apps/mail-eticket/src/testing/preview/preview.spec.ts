import { utimesSync } from 'node:fs';
import { eventually } from '@eticket/service/testing';
import { TEMPLATES } from '../../receipt/templates-folder.js';
import { PREVIEW_CHOICES } from './preview-mails.js';
import { startPreview } from './preview-server.js';
import type { PreviewServer } from './preview-server.js';

describe('The mail preview', () => {
  let server: PreviewServer;
  beforeAll(async () => {
    server = await startPreview(0);
  });
  afterAll(() => server.close());

  const mail = (part: string, change: Readonly<Record<string, string>> = {}) =>
    fetch(
      `${server.url}/mail?${new URLSearchParams({ shape: 'one adult, one way', kind: 'confirmed', language: 'es', part, ...change }).toString()}`,
    );

  it('offers every kind of every booking in every language', async () => {
    const page = await (await fetch(server.url)).text();
    for (const { shape, kind, language } of PREVIEW_CHOICES) {
      for (const value of [shape, kind, language]) expect(page).toContain(`<option>${value}</option>`);
    }
  });

  it('shows each part of a mail, pictures included', async () => {
    expect(await (await mail('html')).text()).toContain('<img src="data:image/png;base64,');
    expect(await (await mail('text')).text()).toContain('Recibo de itinerario');
    expect(await (await mail('calendar', { kind: 'cancelled' })).text()).toContain('METHOD:CANCEL');
    expect((await mail('pdf')).headers.get('content-type')).toBe('application/pdf');
    expect(await (await mail('source', { kind: 'resend', language: 'en' })).text()).toContain('sent_again');
    expect((await mail('html', { shape: 'none' })).status).toBe(404);
  });

  it('tells the page when a template changes', async () => {
    const end = new AbortController();
    const changes = await fetch(`${server.url}/changes`, { signal: end.signal });
    const reader = (changes.body as ReadableStream<Uint8Array>).getReader();
    let heard = '';
    const listening = (async () => {
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return;
        heard += new TextDecoder().decode(value);
      }
    })().catch(() => undefined);
    await eventually(() => {
      utimesSync(new URL('eticket.txt.hbs', TEMPLATES), new Date(), new Date());
      return heard.includes('data: changed');
    });
    end.abort();
    await listening;
  });
});
