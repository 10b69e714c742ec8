import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { Screen, ScreenListener } from './screen.js';

/** Lines in, lines out: for pipes and files. */
export class PlainScreen implements Screen {
  readonly interactive = false;
  #lines: Interface | undefined;

  constructor(
    private readonly input: Readable,
    private readonly output: Writable,
  ) {}

  listen(listener: ScreenListener): void {
    // Whoever read has gone: `| head`.
    this.output.on('error', () => listener.onInterrupt());
    this.#lines = createInterface({ input: this.input, terminal: false, crlfDelay: Infinity });
    this.#lines.on('line', (line) => listener.onLine(line));
    this.#lines.on('close', () => listener.onEnd());
  }

  prompt(): void {
    // Nobody would see it.
  }

  show(line: string): void {
    this.output.write(`${line}\n`);
  }

  close(): Promise<void> {
    this.#lines?.close();
    return new Promise((resolve) => this.output.write('', () => resolve()));
  }
}
