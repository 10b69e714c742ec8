export { CannotJoinError, Chat } from './chat/chat.js';
export type { ChatOptions } from './chat/chat.js';
export type { Consumer, ConsumerListener, RoomMessage, Start } from './consumer/consumer.js';
export { QueueConsumer } from './consumer/queue-consumer.js';
export { plainFormat, terminalFormat } from './screen/line-format.js';
export type { LineFormat } from './screen/line-format.js';
export { PlainScreen } from './screen/plain-screen.js';
export type { Screen, ScreenListener } from './screen/screen.js';
export { RoomServer } from './server/room-server.js';
