import { nameKey } from '@eticket/chat-room';
import type { RoomEvent } from '@eticket/chat-room';

/** One stay of one user in the room. */
export interface Member {
  readonly username: string;
  readonly session: string;
  readonly since: Date;
}

// #region roster
/**
 * Who is in the room, as it follows from the room's events and from nothing else. So it is the same for whoever reads
 * them, after a restart too.
 */
export class Roster {
  readonly #byName = new Map<string, Member>();
  readonly #bySession = new Map<string, Member>();

  apply({ type, username, session }: RoomEvent, at: Date): void {
    const key = nameKey(username);
    const present = this.#byName.get(key);
    // Of two who join under one name the first on the topic has it; the second was told so.
    if (type === 'joined' && !present) {
      const member = { username, session, since: at };
      this.#byName.set(key, member);
      this.#bySession.set(session, member);
    }
    // A leave of an earlier stay ends no later one.
    if (type === 'left' && present?.session === session) {
      this.#byName.delete(key);
      this.#bySession.delete(session);
    }
  }

  named(username: string): Member | undefined {
    return this.#byName.get(nameKey(username));
  }

  ofSession(session: string): Member | undefined {
    return this.#bySession.get(session);
  }

  /** Those who came first, first. */
  members(): readonly Member[] {
    return [...this.#byName.values()];
  }

  get size(): number {
    return this.#byName.size;
  }
}
// #endregion
