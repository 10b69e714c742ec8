import { jsonMessage } from 'ackline';
import type { OutgoingMessage } from 'ackline';
import { nameKey } from './room-rules.js';

// #region room-event
/**
 * What happens in the room, one message on its topic each. Who is there is never stored: it follows from these.
 *
 * `session` names one stay of one user, from join to leave: the SHA-256 of the token that the user was given. It may be
 * read by everyone, and the token cannot be found from it.
 */
export type RoomEvent = JoinedEvent | SaidEvent | LeftEvent;

export interface JoinedEvent {
  readonly type: 'joined';
  readonly version: 1;
  readonly username: string;
  readonly session: string;
}

export interface SaidEvent {
  readonly type: 'said';
  readonly version: 1;
  readonly username: string;
  readonly session: string;
  readonly message: string;
}

export interface LeftEvent {
  readonly type: 'left';
  readonly version: 1;
  readonly username: string;
  readonly session: string;
  /** `gone`: not heard of for too long. */
  readonly why: 'left' | 'gone';
}
// #endregion

// #region room-event-message
/**
 * The event as a message for the topic. Its key is the user: what one user does stays in order for everyone, and the
 * users of a room spread over the topic's partitions.
 */
export function roomEventMessage(event: RoomEvent, id?: string): OutgoingMessage {
  return jsonMessage(event, { key: nameKey(event.username), ...(id !== undefined && { id }) });
}
// #endregion

/** Above what the server lets through, so that rules may be loosened without readers that know only the old ones. */
const LONGEST = { username: 200, session: 100, message: 32_000 };

/** The event in a payload, or undefined where it is none that this version knows: anyone may write to a topic. */
export function readRoomEvent(value: unknown): RoomEvent | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { type, version, username, session, message, why } = value as Readonly<Record<string, unknown>>;
  if (version !== 1 || !isText(username, LONGEST.username) || !isText(session, LONGEST.session)) return undefined;
  const about = { version, username, session } as const;
  if (type === 'joined') return { type, ...about };
  if (type === 'said' && isText(message, LONGEST.message)) return { type, ...about, message };
  if (type === 'left' && (why === 'left' || why === 'gone')) return { type, ...about, why };
  return undefined;
}

function isText(value: unknown, longest: number): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= longest;
}
