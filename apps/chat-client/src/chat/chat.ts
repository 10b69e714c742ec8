import { checkMessageText, checkUsername, nameKey } from '@eticket/chat-room';
import type { Consumer, ConsumerListener, RoomMessage, Start } from '../consumer/consumer.js';
import type { LineFormat } from '../screen/line-format.js';
import type { Screen, ScreenListener } from '../screen/screen.js';
import { RefusedError, type RoomServer } from '../server/room-server.js';
import { COMMANDS_HELP, readCommand } from './commands.js';
import { Outgoing } from './outgoing.js';
import { endsWellWithin } from './pause.js';
import { ServerLink } from './server-link.js';
import { Stay } from './stay.js';

export interface ChatOptions {
  readonly screen: Screen;
  readonly format: LineFormat;
  readonly server: RoomServer;
  readonly consumer: Consumer;
  /** Asked for where it is left out. */
  readonly name: string | undefined;
  readonly from: Start;
  /** Where the room is read, in words. */
  readonly where: string;
  /** Aborts to leave, as Ctrl+C does. */
  readonly signal: AbortSignal;
  /** Without a person to ask: how long the server is waited for at the join. */
  readonly joinDeadlineMs: number;
}

/** For what was typed last to arrive, then for the leave, then for the reader. */
const LEAVE_MS = { sending: 2_000, leaving: 3_000, reading: 2_000 };
/** An own join that is not read by then is in another room. */
const OWN_JOIN_MS = 10_000;

/** The chat could not begin; the message is for whoever started it. */
export class CannotJoinError extends Error {
  override readonly name = 'CannotJoinError';
}

/** One person's chat, from the join to the leave. */
export class Chat implements ScreenListener, ConsumerListener {
  readonly #options: ChatOptions;
  readonly #outgoing: Outgoing;
  readonly #stay: Stay;
  readonly #over = new AbortController();
  readonly #typedEarly: string[] = [];
  #asked: ((answer: string | undefined) => void) | undefined;
  #tellLeft!: (why: 'asked' | 'ended') => void;
  readonly #left = new Promise<'asked' | 'ended'>((resolve) => {
    this.#tellLeft = resolve;
  });
  readonly #hurry = new AbortController();
  #tellInterrupted!: () => void;
  readonly #whenInterrupted = new Promise<void>((resolve) => {
    this.#tellInterrupted = resolve;
  });
  #wantedName = '';
  #hinted = false;
  #sawOwnJoin = false;
  #joining = false;
  #talking = false;
  #leaving = false;
  #ended = false;
  #interrupted = false;

  constructor(options: ChatOptions) {
    this.#options = options;
    this.#outgoing = new Outgoing((why, text) => {
      if (!this.#over.signal.aborted) this.#notice(`Not sent: ${why} ("${shortened(text)}")`);
    });
    const link = new ServerLink({
      onServerAway: (why) => {
        this.#notice(`The server at ${options.server.url} does not answer (${why}); trying again.`);
        this.#hintAtServer();
      },
      onServerBack: () => this.#notice('The server answers again.'),
    });
    const onLost = (): void => this.#notice('The server took you for gone; joining again.');
    this.#stay = new Stay(options.server, link, { onLost }, this.#over.signal);
  }

  // #region run
  /** Resolves when the room is left. @throws CannotJoinError */
  async run(): Promise<void> {
    const { screen, consumer, signal, from } = this.#options;
    screen.listen(this);
    signal.addEventListener('abort', () => this.onInterrupt());
    if (signal.aborted) this.onInterrupt();
    try {
      // First the reader, then the join: so everything is seen from the own join on.
      const joined = consumer.start(from, this).then(() => this.#join());
      await Promise.race([this.#inTime(joined), this.#whenInterrupted]);
      if (this.#isInside()) this.#talk();
      else await this.#breakOff(joined);
      await this.#goodbye(await this.#left);
    } finally {
      this.#over.abort();
      await consumer.close(LEAVE_MS.reading);
      await screen.close();
    }
  }
  // #endregion

  onLine(line: string): void {
    if (this.#asked) return this.#asked(line);
    if (this.#talking) this.#obey(line);
    else this.#typedEarly.push(line);
  }

  onEnd(): void {
    this.#ended = true;
    this.#asked?.(undefined);
    this.#tellLeft('ended');
  }

  onInterrupt(): void {
    // The second time it means: at once.
    if (this.#interrupted) this.#hurry.abort();
    this.#interrupted = true;
    this.#tellInterrupted();
    this.#ended = true;
    this.#asked?.(undefined);
    this.#leave('asked');
  }

  onMessage(message: RoomMessage): void {
    const { type, username } = message.event;
    this.#outgoing.seen(message.id);
    if (type === 'joined' && nameKey(username) === nameKey(this.#wantedName)) {
      this.#sawOwnJoin = true;
    }
    this.#options.screen.show(this.#options.format.event(message));
  }

  onUnreadable(origin: string): void {
    this.#notice(`A message that is not JSON was passed over (${origin}).`);
  }

  onInterrupted(why: string): void {
    this.#notice(`The room cannot be read for the moment (${why}); trying again.`);
    this.#hintAtServer();
  }

  onResumed(): void {
    this.#notice('The room is read again; nothing was missed.');
  }

  async #join(): Promise<void> {
    for (let { name } = this.#options; ; name = undefined) {
      const wanted = (name ?? (await this.#ask('Your name: ')))?.normalize('NFC').trim();
      if (wanted === undefined) return;
      const why = await this.#joinAs(wanted);
      if (why === undefined) return;
      if (!this.#options.screen.interactive) throw new CannotJoinError(why);
      this.#notice(why);
    }
  }

  /** Why this name cannot be had; undefined when it is this user's now. */
  async #joinAs(name: string): Promise<string | undefined> {
    const wrong = checkUsername(name);
    if (wrong) return `The name ${wrong}.`;
    this.#joining = true;
    this.#wantedName = name;
    try {
      await this.#stay.join(name);
      return undefined;
    } catch (error) {
      if (error instanceof RefusedError) return error.message;
      throw error;
    } finally {
      this.#joining = false;
    }
  }

  /** A script is not to wait for ever; a person can see what is going on. */
  async #inTime(joined: Promise<void>): Promise<void> {
    const { screen, joinDeadlineMs, server } = this.#options;
    if (screen.interactive) return joined;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const error = new CannotJoinError(
        `The room of ${server.url} could not be joined within ${joinDeadlineMs / 1000} s.`,
      );
      timer = setTimeout(() => reject(error), joinDeadlineMs);
    });
    await Promise.race([joined, late]).finally(() => clearTimeout(timer));
  }

  /** Left before the join was through: the server may be about to let this user in. */
  async #breakOff(joined: Promise<void>): Promise<void> {
    joined.catch(() => undefined);
    if (this.#joining) await endsWellWithin(LEAVE_MS.leaving, joined);
    this.#leave('asked');
  }

  #leave(why: 'asked' | 'ended'): void {
    this.#leaving = true;
    this.#tellLeft(why);
  }

  #isInside(): boolean {
    return this.#stay.username !== undefined;
  }

  #talk(): void {
    const { screen, server, where } = this.#options;
    this.#outgoing.open((text, id) => this.#stay.ask((membership) => server.publish(membership, text, id)));
    screen.prompt('> ');
    const otherRoom = setTimeout(() => {
      if (!this.#sawOwnJoin) this.#notice(`Your join is not to be seen in ${where}: does the server use another one?`);
    }, OWN_JOIN_MS);
    otherRoom.unref();
    if (screen.interactive) this.#notice('Type and press Enter; /help lists the commands.');
    this.#talking = true;
    for (const line of this.#typedEarly.splice(0)) this.#obey(line);
  }

  #obey(line: string): void {
    if (this.#leaving) return;
    const command = readCommand(line);
    switch (command.type) {
      case 'say':
        return this.#say(command.text);
      case 'who':
        return void this.#who();
      case 'leave':
        // In a script what stands before it is meant to be said.
        return this.#leave(this.#options.screen.interactive ? 'asked' : 'ended');
      case 'help':
        return COMMANDS_HELP.forEach((help) => this.#notice(help));
      case 'unknown':
        return this.#notice(`There is no command ${command.name}; /help lists them.`);
      case 'nothing':
        return undefined;
    }
  }

  #say(text: string): void {
    const wrong = checkMessageText(text);
    if (wrong) this.#notice(`Not sent: the message ${wrong}.`);
    else this.#outgoing.add(text);
  }

  async #who(): Promise<void> {
    const { server, screen, format } = this.#options;
    try {
      const users = await this.#stay.ask((membership) => server.who(membership));
      screen.show(format.who(users, new Date()));
    } catch (error) {
      if (!this.#over.signal.aborted) this.#notice(error instanceof Error ? error.message : String(error));
    }
  }

  // #region goodbye
  /** What was typed is sent first: all of it at the end of a pipe, else for as long as one likes to wait. */
  async #goodbye(why: 'asked' | 'ended'): Promise<void> {
    if (this.#isInside()) {
      const hurry = new Promise<void>((resolve) => this.#hurry.signal.addEventListener('abort', () => resolve()));
      if (why === 'ended') await Promise.race([this.#outgoing.allSent(), this.#whenInterrupted, hurry]);
      await Promise.race([endsWellWithin(LEAVE_MS.sending, this.#outgoing.allSeen()), hurry]);
      if (this.#outgoing.unsent > 0) this.#notice(`${this.#outgoing.unsent} messages were not sent.`);
      const limit = AbortSignal.any([this.#hurry.signal, AbortSignal.timeout(LEAVE_MS.leaving)]);
      const confirmed = await this.#stay.leave(limit);
      if (!confirmed) this.#notice('The server does not answer: the others will see you as gone.');
      this.#options.screen.show('you have left the room');
    }
  }
  // #endregion

  /** Undefined: nothing more will be typed. */
  #ask(question: string): Promise<string | undefined> {
    const typedBefore = this.#typedEarly.shift();
    if (typedBefore !== undefined || this.#ended) return Promise.resolve(typedBefore);
    this.#options.screen.prompt(question);
    return new Promise((resolve) => {
      this.#asked = (answer) => {
        this.#asked = undefined;
        this.#options.screen.prompt('');
        resolve(answer);
      };
    });
  }

  /** Before the join it was perhaps never started. */
  #hintAtServer(): void {
    if (this.#isInside() || this.#hinted) return;
    this.#hinted = true;
    this.#notice('Is the chat server running? npm run chat:server starts it.');
  }

  #notice(text: string): void {
    this.#options.screen.show(this.#options.format.notice(text));
  }
}

function shortened(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
