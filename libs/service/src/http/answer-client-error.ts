import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { EARLY_PROBLEM_HEADERS, earlyProblem } from './early-problem.js';

const STATUS_BY_CODE: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Answers what Node cannot read as a request as problem details (RFC 9457), and hangs up: nothing behind it can be read. */
export function answerClientError(
  error: Error & { readonly code?: string },
  socket: Socket & { readonly _httpMessage?: IncomingMessage | null },
): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const status = STATUS_BY_CODE[error.code ?? ''] ?? 400;
  const body = earlyProblem(status, { detail: 'The request cannot be read.', code: 'unreadable_request' });
  const headers = { ...EARLY_PROBLEM_HEADERS, 'content-length': Buffer.byteLength(body), connection: 'close' };
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Bad Request'}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  // In the middle of an answer more bytes would only garble it.
  if (socket.writable && !socket._httpMessage) socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  else socket.destroy(error);
}
