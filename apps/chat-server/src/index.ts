import 'reflect-metadata';

export { readChatServerConfig } from './chat-server-config.js';
export type { ChatServerConfig } from './chat-server-config.js';
export { startChatServer } from './start-chat-server.js';
export type { StartChatServerOptions } from './start-chat-server.js';
