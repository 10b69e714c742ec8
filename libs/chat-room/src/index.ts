export { roomEventMessage, readRoomEvent } from './room-event.js';
export type { JoinedEvent, LeftEvent, RoomEvent, SaidEvent } from './room-event.js';
export { readRoomPlace } from './room-place.js';
export type { RoomPlace } from './room-place.js';
export { openRoomQueue } from './open-room-queue.js';
export type { OpenRoomQueueOptions, RoomQueue } from './open-room-queue.js';
export { checkMessageText, checkUsername, nameKey, NAME_MAX, TEXT_MAX } from './room-rules.js';
