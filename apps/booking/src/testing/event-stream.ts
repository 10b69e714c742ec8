/** Reads server-sent events of one response, one after the other. */
export class EventStream {
  private buffer = '';
  private constructor(
    readonly response: Response,
    private readonly reader: ReadableStreamDefaultReader<Uint8Array> | undefined,
  ) {}

  static async open(url: string, headers: Readonly<Record<string, string>>): Promise<EventStream> {
    const response = await fetch(url, { headers: { accept: 'text/event-stream', ...headers } });
    return new EventStream(response, response.body?.getReader());
  }

  /** Data of the next `mail` event, or undefined at the end of the stream. */
  async next<T>(): Promise<T | undefined> {
    for (;;) {
      const end = this.buffer.indexOf('\n\n');
      if (end >= 0) {
        const block = this.buffer.slice(0, end);
        this.buffer = this.buffer.slice(end + 2);
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (/^event: mail$/m.test(block) && data !== undefined) return JSON.parse(data) as T;
        continue;
      }
      const part = await this.reader?.read();
      if (!part || part.done) return undefined;
      this.buffer += Buffer.from(part.value).toString();
    }
  }

  async close(): Promise<void> {
    await this.reader?.cancel();
  }
}
