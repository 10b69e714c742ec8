import { openRoomQueue } from '@eticket/chat-room';
import { ConfigurationError } from '@eticket/service/environment';
import { CannotJoinError, Chat } from './chat/chat.js';
import { readChatClientConfig } from './chat-client-config.js';
import { CommandLineError, HELP, readCommandLine, type CommandLine } from './command-line.js';
import { QueueConsumer } from './consumer/queue-consumer.js';
import { plainFormat, terminalFormat } from './screen/line-format.js';
import { PlainScreen } from './screen/plain-screen.js';
import { TerminalScreen } from './screen/terminal-screen.js';
import { RoomServer } from './server/room-server.js';

/** One listens, one asks, one is for the next question. */
const CONNECTIONS = 3;
const JOIN_DEADLINE_MS = 30_000;
/** One Ctrl+C under npm arrives twice: from the terminal, and from npm, which passes on what it gets. */
const SAME_KEY_MS = 500;

try {
  const commandLine = readCommandLine(process.argv.slice(2));
  if (commandLine.help) process.stdout.write(HELP);
  else process.exit(await run(commandLine));
} catch (error) {
  if (!(error instanceof CommandLineError) && !(error instanceof ConfigurationError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}

// #region main
async function run({ plain, name, from }: CommandLine): Promise<number> {
  const config = readChatClientConfig();
  const { stdin, stdout } = process;
  const terminal = !plain && stdin.isTTY && stdout.isTTY && process.env.TERM !== 'dumb';
  if (name === undefined && !stdin.isTTY) throw new CommandLineError('Without a terminal give a name: --name NAME.');
  const queue = await openRoomQueue(config.place, { clientId: 'chat-client', maxConnections: CONNECTIONS });
  try {
    const chat = new Chat({
      screen: terminal ? new TerminalScreen(stdin, stdout) : new PlainScreen(stdin, stdout),
      format: terminal ? terminalFormat(config.colour) : plainFormat,
      server: new RoomServer(config.serverUrl),
      consumer: new QueueConsumer(queue.driver, config.place.topic),
      name,
      from,
      where: queue.where,
      signal: interruption(),
      joinDeadlineMs: JOIN_DEADLINE_MS,
    });
    await chat.run();
    return 0;
  } catch (error) {
    if (!(error instanceof CannotJoinError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 1;
  } finally {
    await queue.release();
  }
}
// #endregion

/** Aborts at the first signal; one that comes later ends the process. */
function interruption(): AbortSignal {
  const interrupted = new AbortController();
  let since = 0;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (!interrupted.signal.aborted) since = performance.now();
      else if (performance.now() - since > SAME_KEY_MS) process.exit(130);
      interrupted.abort();
    });
  }
  return interrupted.signal;
}
