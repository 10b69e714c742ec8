import { readRoomPlace, RoomSettingsError } from '@eticket/chat-room';
import type { RoomPlace } from '@eticket/chat-room';

/** Everything that the environment sets, read once at the start. */
export interface ChatClientConfig {
  readonly serverUrl: string;
  readonly place: RoomPlace;
  readonly colour: boolean;
}

/** @throws RoomSettingsError that names every bad variable */
export function readChatClientConfig(env: NodeJS.ProcessEnv = process.env): ChatClientConfig {
  const problems: string[] = [];
  const serverUrl = (env.CHAT_SERVER_URL || 'http://127.0.0.1:3002').replace(/\/+$/, '');
  if (!URL.canParse(serverUrl) || !/^https?:$/.test(new URL(serverUrl).protocol)) {
    problems.push('CHAT_SERVER_URL is not valid; it must be an address like http://127.0.0.1:3002');
  }
  let place: RoomPlace | undefined;
  try {
    place = readRoomPlace(env);
  } catch (error) {
    if (!(error instanceof RoomSettingsError)) throw error;
    problems.push(...error.problems);
  }
  if (!place || problems.length > 0) throw new RoomSettingsError(problems);
  return { serverUrl, place, colour: !env.NO_COLOR };
}
