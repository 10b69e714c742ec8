import { clearScreenDown, createInterface, cursorTo, moveCursor, type Interface } from 'node:readline';
import type { ReadStream, WriteStream } from 'node:tty';
import type { Screen, ScreenListener } from './screen.js';

// #region terminal-screen
/**
 * A terminal. The line that is being typed stays at the bottom, whatever comes: it is taken off, the new line is
 * written, and it is put back with the cursor where it was.
 */
export class TerminalScreen implements Screen {
  readonly interactive = true;
  readonly #line: Interface;
  #prompted = false;
  #closed = false;

  constructor(
    input: ReadStream,
    private readonly output: WriteStream,
  ) {
    this.#line = createInterface({ input, output, terminal: true, prompt: '', historySize: 100 });
    // Of a text that comes at once, as from a paste, readline would put all but the last character at the end of the
    // line, wherever the cursor is, and lose count of the rows (Node 20 to 24, kInsertString).
    Object.defineProperty(this.#line, 'isCompletionEnabled', { get: () => true, set: () => undefined });
  }

  listen(listener: ScreenListener): void {
    this.output.on('error', () => listener.onInterrupt());
    this.#line.on('line', (typed) => {
      this.#takeOff(typed);
      listener.onLine(typed);
      if (!this.#closed) this.#line.prompt();
    });
    this.#line.on('close', () => listener.onEnd());
    this.#line.on('SIGINT', () => listener.onInterrupt());
  }

  prompt(text: string): void {
    this.#line.setPrompt(text);
    this.#prompted = true;
    this.#line.prompt(true);
  }

  show(line: string): void {
    if (this.#closed || !this.#prompted) return void this.output.write(`${line}\n`);
    moveCursor(this.output, 0, -this.#line.getCursorPos().rows);
    cursorTo(this.output, 0);
    clearScreenDown(this.output);
    this.output.write(`${line}\n`);
    this.#redrawFromHere();
  }
  // #endregion

  close(): Promise<void> {
    if (!this.#closed) {
      this.#closed = true;
      if (this.#prompted) this.#takeOffUnfinished();
      this.#line.close();
    }
    return new Promise((resolve) => this.output.write('', () => resolve()));
  }

  /** A line that was sent comes back from the room: until then it is not on the screen. */
  #takeOff(typed: string): void {
    // Readline has gone to the row below the end of the line; where that was it tells of a line in work only.
    Object.assign(this.#line, { line: typed, cursor: typed.length });
    const { rows } = this.#line.getCursorPos();
    Object.assign(this.#line, { line: '', cursor: 0 });
    moveCursor(this.output, 0, -(rows + 1));
    cursorTo(this.output, 0);
    clearScreenDown(this.output);
    Object.assign(this.#line, { prevRows: 0 });
  }

  #takeOffUnfinished(): void {
    moveCursor(this.output, 0, -this.#line.getCursorPos().rows);
    cursorTo(this.output, 0);
    clearScreenDown(this.output);
  }

  #redrawFromHere(): void {
    // Readline goes up by what it drew last before it draws again; that has been scrolled away.
    Object.assign(this.#line, { prevRows: 0 });
    this.#line.prompt(true);
  }
}
