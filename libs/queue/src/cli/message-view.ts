import type { MessageHeaders } from '../message.js';

/** Headers whose values are credentials by their name: never shown, `--body` or not. */
const SECRET = /authorization|cookie|token|secret|password|api[-_]?key|credential/i;
// eslint-disable-next-line no-control-regex -- these are the characters that would move a terminal's cursor
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;

/** Text of unknown origin for a terminal: what would move its cursor or change its colours is shown as an escape. */
export function visible(text: string): string {
  return text.replace(CONTROL, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

export function shownHeaders(headers: MessageHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, SECRET.test(name) ? '***' : value] as const),
  );
}

/** The payload as text where it is UTF-8, else in Base64. Only `--body` shows it: it may hold personal data. */
export function bodyOf(payload: Uint8Array): { readonly body: string } | { readonly bodyBase64: string } {
  try {
    return { body: new TextDecoder('utf-8', { fatal: true }).decode(payload) };
  } catch {
    return { bodyBase64: Buffer.from(payload).toString('base64') };
  }
}

interface Viewed {
  readonly id: string;
  readonly key: string | undefined;
  readonly headers: MessageHeaders;
  readonly payload: Uint8Array;
}

/** One message as a row of `--json`. */
export function messageJson(message: Viewed, withBody: boolean): Record<string, unknown> {
  const { id, key = null, headers, payload } = message;
  const view = { id, key, headers: shownHeaders(headers), bytes: payload.byteLength };
  return withBody ? { ...view, ...bodyOf(payload) } : view;
}

/** One message for people: a line, and its body on lines of its own where asked for. */
export function messageLine(at: Date, message: Viewed, withBody: boolean, also: readonly string[] = []): string {
  const { id, key, headers, payload } = message;
  const shown = Object.entries(shownHeaders(headers)).map(([name, value]) => `${name}=${value}`);
  const parts = [at.toISOString(), id, ...(key === undefined ? [] : [`key=${key}`]), ...also, ...shown];
  const line = `${parts.map(visible).join('  ')}  ${payload.byteLength} bytes`;
  if (!withBody) return line;
  const body = bodyOf(payload);
  const text = 'body' in body ? body.body : body.bodyBase64;
  return `${line}\n${text
    .split('\n')
    .map((each) => `  ${visible(each)}`)
    .join('\n')}`;
}
