import { mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { pino, type DestinationStream } from 'pino';
import { prettyFactory } from 'pino-pretty';
import { LOG_LEVELS, type LogLevel } from '../environment/settings.js';

export interface FileAndTerminalOptions {
  /** Gets every line, as JSON. Made where it is not there, with its folder. */
  readonly file: string;
  /** The least level that the terminal (standard error) shows too, readable. */
  readonly terminalLevel: LogLevel;
}

/** A file that is longer than this at a start is put aside as `.1`. */
const MAX_FILE_BYTES = 20 * 1024 * 1024;

/** A log in a file, whose worse lines are shown on the terminal: for a program with a screen of its own. */
export function fileAndTerminal({ file, terminalLevel }: FileAndTerminalOptions): DestinationStream {
  mkdirSync(dirname(file), { recursive: true });
  rotate(file);
  const toFile = pino.destination({ dest: file, append: true, sync: true, mode: 0o600 });
  const toTerminal = pino.destination({ dest: 2, sync: true });
  // The terminal may be closed while we still drain; the file goes on.
  toTerminal.on('error', () => undefined);
  const readable = prettyFactory({
    colorize: process.stderr.isTTY && !process.env.NO_COLOR,
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'pid,hostname',
    // One line each; the file has the rest.
    hideObject: true,
    messageFormat: (line) => {
      const { service, msg, err } = line as {
        readonly [key: string]: unknown;
        readonly err?: { readonly message?: string };
      };
      return `${String(service)}: ${String(msg)}${err?.message ? ` (${err.message})` : ''}`;
    },
  });
  const shown = LOG_LEVELS.slice(LOG_LEVELS.indexOf(terminalLevel));
  return {
    write: (line) => {
      toFile.write(line);
      const level = /"level":"(\w+)"/.exec(line)?.[1];
      if (shown.some((known) => known === level)) toTerminal.write(readable(line));
    },
  };
}

function rotate(file: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > MAX_FILE_BYTES) renameSync(file, `${file}.1`);
}
