import type { RoomEvent } from '@eticket/chat-room';

// #region publisher-port
/** The way to the room's topic. */
export abstract class Publisher {
  /**
   * Resolves when the event is durable: every reader of the room will see it, whatever is killed from now on. What one
   * user does is to be published one after the other; that order is kept for every reader.
   *
   * `id` names the message; readers show one id once, so a publish whose end is not known can be repeated under it.
   * @throws RoomUnavailableError when the topic cannot be written; the event may be on it all the same.
   */
  abstract publish(event: RoomEvent, id: string): Promise<void>;
}
// #endregion

/** The room's topic cannot be reached, written or read for the moment. */
export class RoomUnavailableError extends Error {
  readonly code = 'room_unavailable';
  readonly retryable = true;
  override readonly name = 'RoomUnavailableError';
}
