import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';

/** A reader that has not taken this much is cut off; an EventSource connects again by itself. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;
/** A line now and then shows both ends that the connection lives. */
const HEARTBEAT_MS = 20_000;
const MAX_READERS = 100;

/** Server-sent events to any number of readers. */
export class EventStream {
  private readonly readers = new Set<ServerResponse>();
  private readonly heartbeat = setInterval(() => this.write(': still here\n\n'), HEARTBEAT_MS).unref();

  /** Answers with a stream that stays open. */
  open(reply: FastifyReply): void {
    if (this.readers.size >= MAX_READERS) {
      void reply.code(503).send();
      return;
    }
    void reply.type('text/event-stream').header('cache-control', 'no-store');
    reply.hijack();
    const response = reply.raw;
    for (const [name, value] of Object.entries(reply.getHeaders())) {
      if (value !== undefined) response.setHeader(name, value);
    }
    response.write('retry: 1000\n\n');
    this.readers.add(response);
    response.on('close', () => this.readers.delete(response));
    response.on('error', () => this.readers.delete(response));
  }

  get readerCount(): number {
    return this.readers.size;
  }

  /** Sends one event; `data` may have several lines. */
  send(data: string): void {
    const lines = data.split('\n').map((line) => `data: ${line}\n`);
    this.write(`${lines.join('')}\n`);
  }

  close(): void {
    clearInterval(this.heartbeat);
    for (const reader of this.readers) reader.end();
  }

  private write(text: string): void {
    for (const reader of this.readers) {
      if (reader.writableLength > MAX_UNREAD_BYTES) reader.destroy();
      else reader.write(text);
    }
  }
}
