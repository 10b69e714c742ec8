import { RefusedError, ServerAwayError, type Membership, type RoomServer } from '../server/room-server.js';
import { pause } from './pause.js';
import type { ServerLink } from './server-link.js';

export interface StayListener {
  /** The server had given this user up, or forgotten; it is asked to let it in again. */
  onLost(): void;
}

/** A join that broke off may have been heard: the server gives its name free when nobody answers for it. */
const NAME_RETRY_MS = 1_000;
/** By then the server has given a name free whose user it cannot have told. */
const NAME_PATIENCE_MS = 45_000;

/** This user's stay in the room, from join to leave: heard of often enough, and joined again when it was lost. */
export class Stay {
  #membership: Membership | undefined;
  #rejoining: Promise<Membership> | undefined;
  #beat: NodeJS.Timeout | undefined;

  constructor(
    private readonly server: RoomServer,
    private readonly link: ServerLink,
    private readonly listener: StayListener,
    private readonly signal: AbortSignal,
  ) {}

  get username(): string | undefined {
    return this.#membership?.username;
  }

  /** Asks until the server answers. @throws RefusedError `username_taken`, `room_full`, `validation_error` */
  async join(username: string): Promise<void> {
    let mayHaveJoinedAt: number | undefined;
    const ask = async (): Promise<Membership> => {
      try {
        return await this.server.join(username, this.signal);
      } catch (error) {
        if (error instanceof ServerAwayError && !error.notReached) mayHaveJoinedAt ??= performance.now();
        throw error;
      }
    };
    for (;;) {
      try {
        this.#begin(await this.link.untilAnswered(ask, this.signal));
        return;
      } catch (error) {
        const ownName = error instanceof RefusedError && error.code === 'username_taken' && mayHaveJoinedAt;
        if (!ownName || performance.now() - ownName > NAME_PATIENCE_MS) throw error;
        await pause(NAME_RETRY_MS, this.signal);
      }
    }
  }

  /** Asks in this user's name until the server answers, if need be after joining again. @throws RefusedError */
  async ask<T>(question: (membership: Membership) => Promise<T>): Promise<T> {
    for (;;) {
      const membership = this.#mine();
      try {
        return await this.link.untilAnswered(() => question(membership), this.signal);
      } catch (error) {
        if (!isUnknownToken(error)) throw error;
        await this.#rejoin(membership);
      }
    }
  }

  /** Resolves with whether the server confirmed it, or had it so already. */
  async leave(signal: AbortSignal): Promise<boolean> {
    clearInterval(this.#beat);
    const membership = this.#membership;
    if (!membership) return true;
    try {
      await this.link.untilAnswered(() => this.server.leave(membership, signal), signal);
      return true;
    } catch (error) {
      return isUnknownToken(error);
    }
  }

  #begin(membership: Membership): void {
    this.#membership = membership;
    clearInterval(this.#beat);
    this.#beat = setInterval(() => void this.#heartbeat(), membership.heartbeatMs);
  }

  /** The next one is the retry. */
  async #heartbeat(): Promise<void> {
    const membership = this.#mine();
    try {
      await this.link.once(() => this.server.heartbeat(membership, this.signal));
    } catch (error) {
      if (isUnknownToken(error)) await this.#rejoin(membership).catch(() => undefined);
    }
  }

  #rejoin(lost: Membership): Promise<Membership> {
    // Somebody else noticed first.
    if (this.#membership !== lost) return Promise.resolve(this.#mine());
    this.#rejoining ??= this.#joinAgain(lost.username).finally(() => {
      this.#rejoining = undefined;
    });
    return this.#rejoining;
  }

  async #joinAgain(username: string): Promise<Membership> {
    clearInterval(this.#beat);
    this.listener.onLost();
    for (;;) {
      try {
        this.#begin(await this.link.untilAnswered(() => this.server.join(username, this.signal), this.signal));
        return this.#mine();
      } catch (error) {
        // The name may be this user's own of before, or somebody's who will leave.
        if (!(error instanceof RefusedError)) throw error;
        await pause(NAME_RETRY_MS, this.signal);
      }
    }
  }

  #mine(): Membership {
    if (!this.#membership) throw new Error('not in the room');
    return this.#membership;
  }
}

function isUnknownToken(error: unknown): boolean {
  return error instanceof RefusedError && error.code === 'token_unknown';
}
