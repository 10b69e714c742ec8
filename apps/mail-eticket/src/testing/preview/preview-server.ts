import { watch } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { forgetTemplates } from '../../receipt/render-receipt.js';
import { TEMPLATES } from '../../receipt/templates-folder.js';
import { PREVIEW_CHOICES, previewMail } from './preview-mails.js';
import type { PreviewMail } from './preview-mails.js';
import { PREVIEW_PAGE } from './preview-page.js';

/** An editor writes a file in several steps. */
const SETTLE_MS = 80;

export interface PreviewServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Shows every mail in a browser, and again whenever a template or a word changes. */
export async function startPreview(port: number): Promise<PreviewServer> {
  const watching = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    answer(request, response, watching).catch((error: unknown) => {
      send(response, 500, 'text/plain', error instanceof Error ? (error.stack ?? error.message) : String(error));
    });
  });
  await listen(server, port);
  let timer: NodeJS.Timeout | undefined;
  const watcher = watch(TEMPLATES, { recursive: true }, () => {
    // Changes that come one upon the other are told together, and none puts the telling off.
    timer ??= setTimeout(() => {
      timer = undefined;
      forgetTemplates();
      for (const response of watching) response.write('data: changed\n\n');
    }, SETTLE_MS);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      watcher.close();
      clearTimeout(timer);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  watching: Set<ServerResponse>,
): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
  if (pathname === '/') return send(response, 200, 'text/html', PREVIEW_PAGE);
  if (pathname === '/framed') return send(response, 200, 'text/html', framed(searchParams));
  if (pathname === '/changes') {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    response.flushHeaders();
    watching.add(response);
    request.on('close', () => watching.delete(response));
    return;
  }
  const choice = PREVIEW_CHOICES.find(
    ({ shape, kind, language }) =>
      shape === searchParams.get('shape') &&
      kind === searchParams.get('kind') &&
      language === searchParams.get('language'),
  );
  if (pathname !== '/mail' || !choice) return send(response, 404, 'text/plain', 'no such mail');
  const [type, body] = partOf(await previewMail(choice), searchParams.get('part'));
  return send(response, 200, type, body);
}

/** A mail as a screen of that width shows it. */
function framed(query: URLSearchParams): string {
  const [width, height] = [Number(query.get('width')), Number(query.get('height'))];
  const source = `/mail?${query.toString().replace(/&/g, '&amp;')}`;
  return `<!doctype html><body style="margin:0"><iframe src="${source}" width="${width}" height="${height}" style="border:0;display:block"></iframe>`;
}

function partOf(mail: PreviewMail, part: string | null): readonly [type: string, body: string | Buffer] {
  switch (part ?? 'html') {
    case 'text':
      return ['text/plain', `${mail.subject}\n\n${mail.text}`];
    case 'pdf':
      return mail.pdf ? ['application/pdf', mail.pdf] : ['text/plain', 'a cancellation brings no PDF'];
    case 'calendar':
      return ['text/plain', mail.calendar];
    case 'source':
      return ['text/plain', mail.source];
    default:
      return ['text/html', mail.html];
  }
}

function send(response: ServerResponse, status: number, type: string, body: string | Buffer): void {
  const charset = type.startsWith('text/') ? '; charset=utf-8' : '';
  response.writeHead(status, { 'content-type': `${type}${charset}`, 'cache-control': 'no-store' }).end(body);
}
