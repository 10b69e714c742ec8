import { parseArgs } from 'node:util';
import type { Start } from './consumer/consumer.js';

export interface CommandLine {
  readonly help: boolean;
  readonly plain: boolean;
  readonly name: string | undefined;
  readonly from: Start;
}

/** A wrong command line; the message says what would be right. */
export class CommandLineError extends Error {
  override readonly name = 'CommandLineError';
}

export const HELP = `The chat room, on this terminal.

  npm run chat -- [options]

  --name NAME         join under this name instead of being asked
  --from beginning    show everything that is kept of the room first
  --last N            show the newest N messages first
  --plain             no colours, no line editing, full times: for scripts; so in pipes without being asked
  --help              this text

In the room: /who, /leave, /help. Ctrl+C leaves too.

Settings by environment:
  CHAT_SERVER_URL     where the chat server is (http://127.0.0.1:3002)
  KAFKA_BROKERS       brokers of the room's topic, host:port with commas between; else
  DATABASE_URL        the PostgreSQL of the room's queue; else
  DATA_DIR            the folder of the start whose database it is (data)
  KAFKA_TOPIC         the room's topic (chat-room)
  KAFKA_SSL, KAFKA_SASL_MECHANISM, KAFKA_SASL_USERNAME, KAFKA_SASL_PASSWORD
  NO_COLOR            set: no colours

Ends with 0 when the room was left, 1 when it could not be joined, 2 for a wrong option or setting.
`;

const MOST_LAST = 100_000;

/** @throws CommandLineError */
export function readCommandLine(args: readonly string[]): CommandLine {
  const { values } = parse(args);
  return {
    help: values.help ?? false,
    plain: values.plain ?? false,
    name: values.name,
    from: readStart(values.from, values.last),
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        help: { type: 'boolean', short: 'h' },
        plain: { type: 'boolean' },
        name: { type: 'string' },
        from: { type: 'string' },
        last: { type: 'string' },
      },
    });
  } catch (error) {
    const [sentence] = (error instanceof Error ? error.message : String(error)).split('. ');
    throw new CommandLineError(`${sentence}; --help lists the options.`);
  }
}

function readStart(from: string | undefined, last: string | undefined): Start {
  if (from !== undefined && last !== undefined) throw new CommandLineError('Give either --from or --last.');
  if (last !== undefined) {
    const count = Number(last);
    if (!/^\d{1,6}$/.test(last) || count < 1 || count > MOST_LAST) {
      throw new CommandLineError(`--last is "${last}"; it must be a number from 1 to ${MOST_LAST}.`);
    }
    return { last: count };
  }
  if (from === undefined || from === 'latest' || from === 'beginning') return from ?? 'latest';
  throw new CommandLineError(`--from is "${from}"; it must be beginning or latest.`);
}
