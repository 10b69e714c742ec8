import type { Mail } from '../mails/mail.js';

/** An address of the envelope, in MailHog's parts. */
export interface MailhogPath {
  readonly Relays: null;
  readonly Mailbox: string;
  readonly Domain: string;
  readonly Params: '';
}

/** A mail or one of its MIME parts. Nothing is decoded: header values and body stand as they were sent. */
export interface MailhogContent {
  /** By name as it was sent; continuation lines are appended with their leading blank. */
  readonly Headers: Readonly<Record<string, readonly string[]>>;
  readonly Body: string;
  /** Bytes. */
  readonly Size: number;
  readonly MIME: MailhogMime | null;
}

export interface MailhogMime {
  readonly Parts: readonly MailhogContent[];
}

/** A mail as MailHog's API writes it. */
export interface MailhogMessage {
  readonly ID: string;
  readonly From: MailhogPath;
  readonly To: readonly MailhogPath[];
  readonly Content: MailhogContent;
  /** RFC 3339. */
  readonly Created: string;
  readonly MIME: MailhogMime | null;
  readonly Raw: {
    readonly From: string;
    readonly To: readonly string[];
    /**
     * The mail as text, without the line break that ends its last line. Bytes that are not UTF-8 (a mail sent in another
     * character set with 8-bit bytes) are U+FFFD, as in MailHog; the download has the exact bytes.
     */
    readonly Data: string;
    readonly Helo: string;
  };
}

const HOST = 'inbox.local';

/** Deeper parts stay unparsed in the body of their parent. Real mails have three or four levels. */
const MAX_MIME_DEPTH = 20;

export function mailhogMessage(mail: Mail): MailhogMessage {
  const { envelope } = mail;
  const data = rawData(mail);
  const content = parseContent(data);
  const mime = parseMime(content, 1);
  return {
    ID: mail.id,
    From: pathOf(envelope.from),
    To: envelope.to.map(pathOf),
    Content: { ...content, Headers: { ...content.Headers, ...traceHeaders(mail, content.Headers) } },
    Created: mail.receivedAt.toISOString(),
    MIME: mime,
    Raw: { From: envelope.from, To: envelope.to, Data: data, Helo: envelope.helo },
  };
}

/** {@link MailhogMessage.Raw}`.Data`. */
export function rawData(mail: Mail): string {
  return mail.raw.toString('utf8').replace(/\r\n$/, '');
}

function pathOf(address: string): MailhogPath {
  const at = address.lastIndexOf('@');
  const [mailbox, domain] = at < 0 ? [address, ''] : [address.slice(0, at), address.slice(at + 1)];
  return { Relays: null, Mailbox: mailbox, Domain: domain, Params: '' };
}

/** MailHog adds these to the parsed headers, never to `Raw.Data`. */
function traceHeaders(mail: Mail, sent: MailhogContent['Headers']): Record<string, readonly string[]> {
  const name = (wanted: string): string =>
    Object.keys(sent).find((key) => key.toLowerCase() === wanted.toLowerCase()) ?? wanted;
  const received = `from ${mail.envelope.helo} by ${HOST} (inbox)\r\n          id ${mail.id}; ${mail.receivedAt.toUTCString()}`;
  const [receivedName, returnPathName, messageIdName] = [name('Received'), name('Return-Path'), name('Message-ID')];
  return {
    [receivedName]: [...(sent[receivedName] ?? []), received],
    [returnPathName]: [...(sent[returnPathName] ?? []), `<${mail.envelope.from}>`],
    [messageIdName]: sent[messageIdName] ?? [mail.id],
  };
}

function parseContent(data: string): MailhogContent {
  const headEnd = data.indexOf('\r\n\r\n');
  const head = headEnd < 0 ? '' : data.slice(0, headEnd);
  const body = headEnd < 0 ? data : data.slice(headEnd + 4);
  return { Headers: parseHeaders(head), Body: body, Size: Buffer.byteLength(data), MIME: null };
}

function parseHeaders(head: string): MailhogContent['Headers'] {
  const headers = new Map<string, string[]>();
  let latest: string[] | undefined;
  for (const line of head.split('\r\n')) {
    const colon = line.indexOf(':');
    if (/^[ \t]/.test(line)) latest?.push(`${latest.pop() ?? ''}${line}`);
    else if (colon > 0) {
      const name = line.slice(0, colon);
      latest = headers.get(name) ?? [];
      latest.push(line.slice(colon + 1).replace(/^ /, ''));
      headers.set(name, latest);
    }
  }
  return Object.fromEntries(headers);
}

/** Null when the content is not multipart. */
function parseMime(content: MailhogContent, depth: number): MailhogMime | null {
  const type = Object.entries(content.Headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1][0] ?? '';
  if (!/^multipart\//i.test(type) || depth > MAX_MIME_DEPTH) return null;
  const boundary = /;\s*boundary\s*=\s*(?:"([^"]+)"|([^\s;"]+))/i.exec(type);
  const delimiter = boundary?.[1] ?? boundary?.[2];
  if (delimiter === undefined) return { Parts: [] };
  // The text before the first delimiter and after the closing one is no part.
  const parts = `\r\n${content.Body}`.split(`\r\n--${delimiter}`).slice(1);
  const closed = parts.findIndex((part) => part.startsWith('--'));
  return {
    Parts: parts.slice(0, closed < 0 ? undefined : closed).map((part) => {
      const parsed = parseContent(part.replace(/^[ \t]*\r\n/, ''));
      return { ...parsed, MIME: parseMime(parsed, depth + 1) };
    }),
  };
}
