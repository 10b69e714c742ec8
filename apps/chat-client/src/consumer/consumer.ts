import type { RoomEvent } from '@eticket/chat-room';

// #region consumer-port
/** Where reading starts: with what comes, with all that is kept, or with the newest so many messages. */
export type Start = 'latest' | 'beginning' | { readonly last: number };

/** An event of the room as it was read. */
export interface RoomMessage {
  readonly id: string;
  readonly at: Date;
  readonly event: RoomEvent;
}

/** Hears what is read. Called one at a time. */
export interface ConsumerListener {
  /** What one user did comes in the order in which it was done, and each id once. */
  onMessage(message: RoomMessage): void;
  /** Something on the topic is not JSON; it is passed over. `origin` says where it stands. */
  onUnreadable(origin: string): void;
  /** Reading has stopped, and is tried again until it goes on. Nothing is missed by that. */
  onInterrupted(why: string): void;
  onResumed(): void;
}

/** This client's own reader of the room: it sees everything, whoever else reads. */
export interface Consumer {
  /**
   * Resolves when the past that was asked for has been heard, and everything that happens from now on will be. Waits for
   * the topic as long as that takes.
   */
  start(from: Start, listener: ConsumerListener): Promise<void>;
  /** Ends reading and leaves nothing behind. Bounded; works twice. */
  close(deadlineMs: number): Promise<void>;
}
// #endregion
