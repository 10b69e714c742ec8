import { randomUUID } from 'node:crypto';
import { nameKey } from '@eticket/chat-room';
import type { LeftEvent, RoomEvent } from '@eticket/chat-room';
import type { Logger } from '@eticket/service';
import { ProblemError } from '../problems/problem.js';
import { InTurn } from './in-turn.js';
import { Presence } from './presence.js';
import type { Publisher } from './publisher.js';
import { RateLimiter } from './rate-limiter.js';
import type { Rate } from './rate-limiter.js';
import type { RoomView } from './room-view.js';
import { newRoomToken } from './room-token.js';
import type { Member } from './roster.js';

export interface RoomRules {
  /** A user not heard of for this long is reported as gone. */
  readonly goneAfterMs: number;
  /** Messages of one user. */
  readonly messages: Rate;
  /** Joins from one address. */
  readonly joins: Rate;
  readonly maxUsers: number;
}

export interface Joined {
  readonly username: string;
  readonly token: string;
}

/** For a message to come back from the topic, and for the topic to be read at a start. */
const READ_DEADLINE_MS = 5_000;
/** Looks for those who are gone, in `goneAfterMs`. */
const LOOKS = 5;

/** What can be done in the room. Works on the topic alone: everything that is said here is read there. */
export class RoomService {
  readonly #turns = new InTurn();
  readonly #presence: Presence;
  readonly #messageRate: RateLimiter;
  readonly #joinRate: RateLimiter;
  /** Joins whose users were never told: they are gone as soon as they show. */
  readonly #abandoned = new Set<string>();
  #watch: NodeJS.Timeout | undefined;

  constructor(
    private readonly view: RoomView,
    private readonly publisher: Publisher,
    private readonly rules: RoomRules,
    private readonly logger: Logger,
  ) {
    this.#presence = new Presence(rules.goneAfterMs);
    this.#messageRate = new RateLimiter(rules.messages);
    this.#joinRate = new RateLimiter(rules.joins);
  }

  // #region join
  /** @throws ProblemError `username_taken`, `room_full`, `too_many_requests`; RoomUnavailableError */
  async join(username: string, address: string): Promise<Joined> {
    this.#mayGoOn(this.#joinRate.take(address));
    await this.view.caughtUp(READ_DEADLINE_MS);
    return this.#turns.run(nameKey(username), async () => {
      const { roster } = this.view;
      if (roster.named(username)) throw nameTaken(username);
      if (roster.size >= this.rules.maxUsers) throw new ProblemError('room_full', 'The room is full: try again later.');
      const { token, session } = newRoomToken();
      this.#abandoned.add(session);
      await this.#publishAndRead({ type: 'joined', version: 1, username, session });
      this.#abandoned.delete(session);
      // Another server may have let in another one under this name: the topic says who was first.
      if (!roster.ofSession(session)) throw nameTaken(username);
      this.#presence.heard(session);
      return { username, token };
    });
  }
  // #endregion

  // #region say
  /** Resolves with the message's id when the message is durable. `id` makes a repeated call the same message. */
  async say(
    session: string | undefined,
    username: string,
    message: string,
    id: string = randomUUID(),
  ): Promise<string> {
    const member = await this.#member(session, username);
    this.#mayGoOn(this.#messageRate.take(nameKey(member.username)));
    return this.#turns.run(nameKey(member.username), async () => {
      const event = { type: 'said', version: 1, username: member.username, session: member.session, message } as const;
      await this.publisher.publish(event, id);
      return id;
    });
  }
  // #endregion

  async leave(session: string | undefined, username: string): Promise<void> {
    await this.#leave(await this.#member(session, username), 'left');
  }

  async heartbeat(session: string | undefined): Promise<void> {
    await this.#member(session);
  }

  async who(session: string | undefined): Promise<readonly Member[]> {
    await this.#member(session);
    return this.view.roster.members();
  }

  /** Begins to report those who are gone. */
  watch(): void {
    this.#watch ??= setInterval(() => void this.#reportGone(), this.rules.goneAfterMs / LOOKS);
  }

  stop(): void {
    clearInterval(this.#watch);
  }

  async #reportGone(): Promise<void> {
    if (this.view.trouble() !== undefined) return;
    const { roster } = this.view;
    const silent = this.#presence.silent(roster.members().map(({ session }) => session));
    const gone = [...silent, ...this.#abandoned].flatMap((session) => roster.ofSession(session) ?? []);
    const reported = await Promise.allSettled(gone.map((member) => this.#leave(member, 'gone')));
    for (const result of reported) {
      // Still silent at the next look.
      if (result.status === 'rejected')
        this.logger.warn({ err: result.reason as unknown }, 'a user who is gone could not be reported');
    }
  }

  #leave({ username, session }: Member, why: LeftEvent['why']): Promise<void> {
    return this.#turns.run(nameKey(username), async () => {
      if (!this.view.roster.ofSession(session)) return;
      await this.#publishAndRead({ type: 'left', version: 1, username, session, why });
      this.#abandoned.delete(session);
    });
  }

  /** Resolves when the roster shows what was published, so that the next question is answered right. */
  async #publishAndRead(event: RoomEvent): Promise<void> {
    const id = randomUUID();
    const expected = this.view.expect(id);
    try {
      await this.publisher.publish(event, id);
    } catch (error) {
      expected.forget();
      throw error;
    }
    await expected.seen(READ_DEADLINE_MS);
  }

  /** The user whose token it is, heard of now. */
  async #member(session: string | undefined, username?: string): Promise<Member> {
    if (session === undefined) {
      throw new ProblemError('token_required', 'Send the token of your join: "Authorization: Bearer …".');
    }
    if (!this.view.roster.ofSession(session)) await this.view.caughtUp(READ_DEADLINE_MS);
    const member = this.view.roster.ofSession(session);
    if (!member) throw new ProblemError('token_unknown', 'This token’s user is not in the room any more: join again.');
    this.#presence.heard(session);
    if (username !== undefined && nameKey(username) !== nameKey(member.username)) {
      throw new ProblemError('wrong_user', 'The token is another user’s.');
    }
    return member;
  }

  #mayGoOn(waitMs: number): void {
    if (waitMs === 0) return;
    throw new ProblemError('too_many_requests', 'Too much at once: wait a moment.', { retryAfterMs: waitMs });
  }
}

function nameTaken(username: string): ProblemError {
  return new ProblemError('username_taken', `${username} is in the room already: choose another name.`);
}
