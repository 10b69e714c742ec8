import { readRoomPlace } from '@eticket/chat-room';
import type { RoomPlace } from '@eticket/chat-room';
import { allProblems, httpUrl, readEnvironment, str } from '@eticket/service/environment';

/** Everything that the environment sets, read once at the start. */
export interface ChatClientConfig {
  readonly serverUrl: string;
  readonly place: RoomPlace;
  readonly colour: boolean;
}

const SETTINGS = {
  CHAT_SERVER_URL: httpUrl({ default: 'http://127.0.0.1:3002' }),
  NO_COLOR: str({ default: '' }),
};

/** @throws ConfigurationError that names every bad variable */
export function readChatClientConfig(env: NodeJS.ProcessEnv = process.env): ChatClientConfig {
  const [own, place] = allProblems(
    () => readEnvironment(SETTINGS, env),
    () => readRoomPlace(env),
  );
  return { serverUrl: own.CHAT_SERVER_URL.replace(/\/+$/, ''), place, colour: own.NO_COLOR === '' };
}
